import { plainReport } from '../panel/plain-report.ts';
import { safeText } from '../safe-text.ts';
import { sessionFolder } from '../state/list-paths.ts';
import { StateError } from '../state/state-error.ts';
import { listJson } from '../todo/list-text.ts';
import { TodoLists } from '../todo/todo-lists.ts';
import type { TodoState } from '../todo/todo-store.ts';
import { endingSignals } from './ending-signals.ts';
import { type Follower, followSession } from './follow.ts';
import type { WatchArguments } from './watch-arguments.ts';

const STORAGE_TROUBLE = 3;

/** Prints each change of lists in files, as a line of words or of JSON, until a signal ends it. Gives its exit code. */
export async function printLists({ list, all, jsonl }: WatchArguments): Promise<number> {
  const lists = new TodoLists(process.env, process.cwd());
  const name = lists.name(list);
  let hasFailed = false;
  const follower: Follower = {
    changed: jsonl ? jsonPrinter(name.session) : wordsPrinter(all ? undefined : name.agent),
    failed: (error) => {
      if (!(error instanceof StateError)) throw error;
      hasFailed = true;
      process.stderr.write(`agent-shell: ${safeText(error.message)}\n`);
    },
  };
  const signals = endingSignals();
  // Without the id of a harness's session the lists of all of them are meant.
  const isMeant = (agent: string) => agent === name.agent || agent.startsWith(`${name.agent}@`);
  const folder = sessionFolder(lists.folder, name.session);
  const end = followSession(folder, follower, 'newest', all ? undefined : isMeant);
  // What cannot be read from the start is a mistake; what becomes so may be mended while we watch.
  const exitCode = hasFailed ? STORAGE_TROUBLE : await signals.exitCode;
  signals.ignore();
  end();
  return exitCode;
}

function jsonPrinter(session: string): Follower['changed'] {
  return (agent, version) => process.stdout.write(listJson(version, { session, agent }));
}

/** @param asked whose list was asked for: its changes need no name before them. */
function wordsPrinter(asked: string | undefined): Follower['changed'] {
  const known = new Map<string, TodoState>();
  return (agent, version) => {
    const before = known.get(agent) ?? { items: [], updatedAt: version.updatedAt };
    known.set(agent, version);
    const report = plainReport(before, version);
    const label = agent === asked ? '' : `${safeText(agent)}: `;
    if (report !== '') process.stdout.write(`${label}${report}\n`);
  };
}
