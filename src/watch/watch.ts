import { AgentsPanel } from '../panel/agents-panel.ts';
import { plainReport } from '../panel/plain-report.ts';
import { TaskPanel } from '../panel/task-panel.ts';
import { safeText } from '../safe-text.ts';
import { type ListName, listFolder } from '../state/lists.ts';
import { StateError } from '../state/state-error.ts';
import { FileLists } from '../todo/file-lists.ts';
import { listJson } from '../todo/list-json.ts';
import { type TodoState, TodoStore } from '../todo/todo-store.ts';
import { endingSignals } from './ending-signals.ts';
import { type Follower, followList, followSession } from './follow.ts';
import type { WatchArguments } from './watch-arguments.ts';

const STORAGE_TROUBLE = 3;

/** Shows lists in files as they change, until a signal ends it. Gives its exit code. */
export async function watchLists({ list, all, jsonl }: WatchArguments): Promise<number> {
  const lists = new FileLists(process.env, process.cwd());
  const name = lists.name(list);
  const view = jsonl ? jsonView(name.session) : all ? agentsView() : panelView();
  // On a terminal there may be nothing to see for a while.
  if (!jsonl && canDraw()) view.say(heading(name, all));
  let trouble: string | undefined;
  const follower: Follower = {
    changed: view.changed,
    failed: (error) => {
      if (!(error instanceof StateError)) throw error;
      trouble = `agent-shell: ${safeText(error.message)}\n`;
      view.say(trouble);
    },
  };
  const signals = endingSignals();
  const end = all
    ? followSession(lists.folder, name.session, follower)
    : followList(listFolder(lists.folder, name), name.agent, follower);
  // What cannot be read from the start is a mistake; what becomes so may be mended while we watch.
  const exitCode = trouble === undefined ? await signals.exitCode : STORAGE_TROUBLE;
  signals.ignore();
  end();
  view.end();
  return exitCode;
}

/** How lists are shown. */
interface View {
  changed: Follower['changed'];
  /** Shows a line that is no list. */
  say(line: string): void;
  end(): void;
}

function jsonView(session: string): View {
  return {
    changed: (agent, version) => process.stdout.write(listJson(version, { session, agent })),
    say: (line) => process.stderr.write(line),
    end: () => {},
  };
}

function panelView(): View {
  const { stdout, env } = process;
  const store = new TodoStore();
  const panel = new TaskPanel({ store, stream: stdout, env, mode: canDraw() ? 'auto' : 'plain' });
  return {
    changed: (_agent, { items }) => store.update(items),
    say: (line) => panel.write(line),
    end: () => panel.dispose(),
  };
}

function agentsView(): View {
  if (!canDraw()) return plainAgentsView();
  const panel = new AgentsPanel(process.stdout, process.env);
  return {
    changed: (agent, version) => panel.show(agent, version),
    say: (line) => panel.write(line),
    end: () => panel.dispose(),
  };
}

function plainAgentsView(): View {
  const known = new Map<string, TodoState>();
  return {
    changed: (agent, version) => {
      const before = known.get(agent) ?? { items: [], updatedAt: version.updatedAt };
      known.set(agent, version);
      const report = plainReport(before, version);
      if (report !== '') process.stdout.write(`${safeText(agent)}: ${report}\n`);
    },
    say: (line) => process.stderr.write(line),
    end: () => {},
  };
}

function heading({ session, agent }: ListName, all: boolean): string {
  const who = all ? 'all agents' : `agent ${safeText(agent)}`;
  return `Following ${who} of session ${safeText(session)}; Ctrl-C ends it.\n`;
}

function canDraw(): boolean {
  return process.stdout.isTTY && process.env.TERM !== 'dumb';
}
