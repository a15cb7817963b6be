import { EXIT_CODES } from '../base/command/agent-command.ts';
import { HELP_OPTIONS, helpReply, parseOptions } from '../base/command/options.ts';
import { exitCodeOf } from '../base/command/replies.ts';
import { StateError } from '../base/command/state-error.ts';
import { inTimeOf } from '../base/command/time-limit.ts';
import { inQuotes, jsonLine, safeText } from '../base/safe-text.ts';
import { writeAll } from '../base/system/files.ts';
import { printable } from '../screen/panel/look.ts';
import { ShownTimes } from '../screen/panel/shown-times.ts';
import { themeFor } from '../screen/panel/theme.ts';
import { table } from '../screen/terminal/lines.ts';
import type { TaskStatus } from '../tasks/task.ts';
import type { SessionList } from './model.ts';
import { removeSessions } from './remove-sessions.ts';
import helpPage from './sessions.md';
import { shortPath } from './sources.ts';
import { isTeamKey, TEAM, WatchedLists } from './watched-lists.ts';

export const SESSIONS_OPTIONS = {
  '--json': 'flag',
  '--remove': 'name',
  '--older': 'name',
  '--yes': 'flag',
  ...HELP_OPTIONS,
} as const;

interface Summary {
  readonly completed: number;
  readonly in_progress: number;
  readonly pending: number;
  readonly doing?: string;
  readonly updatedAt: Date;
  readonly version: number;
  /** The damage of the newest version. */
  readonly damaged?: string;
}

interface Session {
  readonly session: string;
  readonly lists: ({ readonly agent: string } & Summary)[];
  tasks?: Summary;
}

/** `agent-shell sessions`. Returns the exit code. */
export async function sessionsCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(argv, SESSIONS_OPTIONS);
  const [, usage = ''] = /^(Usage: .*\n)/m.exec(helpPage) ?? [];
  const help = 'options' in parsed && helpReply(parsed.options, usage, helpPage);
  if (help) {
    writeAll(1, help.stdout);
    return help.exitCode;
  }
  const unknown = 'rest' in parsed ? parsed.rest[0] : undefined;
  if ('problem' in parsed || unknown !== undefined) {
    const problem =
      'problem' in parsed
        ? parsed.problem
        : `sessions takes no argument ${inQuotes(unknown ?? '')}`;
    writeAll(2, `agent-shell: ${problem}; see agent-shell sessions --help\n`);
    return EXIT_CODES.wrongUsage;
  }
  const watched = new WatchedLists();
  try {
    const { '--json': json, ...options } = parsed.options;
    return await inTimeOf(watched.settings, async () => {
      const all = await watched.find(Number.POSITIVE_INFINITY);
      if (Object.keys(options).length > 0) return removeSessions(watched, all, options);
      const found = sessionsOf(all);
      writeAll(
        1,
        json ? jsonLine({ sessions: found }) : sessionsText(found, await watched.lists.name()),
      );
      return 0;
    });
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    writeAll(2, `agent-shell: ${safeText(error.message)}\n`);
    return exitCodeOf(error);
  } finally {
    await watched.close();
  }
}

/** Most recently changed first. */
function sessionsOf(all: readonly SessionList[]): Session[] {
  const found = new Map<string, Session>();
  for (const list of all) {
    const { session, agent, newest, damage: damaged } = list;
    const known = found.get(session) ?? { session, lists: [] };
    found.set(session, known);
    const { items, updatedAt, version } = newest;
    const doing = items.find(({ status }) => status === 'in_progress')?.activeForm;
    const summary = { ...statusCounts(items), doing, updatedAt, version, damaged };
    if (isTeamKey(list.key)) known.tasks = summary;
    else known.lists.push({ agent, ...summary });
  }
  return [...found.values()].sort((a, b) => lastChangeOf(b) - lastChangeOf(a));
}

function lastChangeOf({ lists, tasks }: Session): number {
  return Math.max(...[...lists, ...(tasks ? [tasks] : [])].map(({ updatedAt }) => +updatedAt));
}

function statusCounts(items: readonly { readonly status: TaskStatus }[]) {
  const count = (status: TaskStatus) => items.filter((item) => item.status === status).length;
  return {
    completed: count('completed'),
    in_progress: count('in_progress'),
    pending: count('pending'),
  };
}

function sessionsText(found: readonly Session[], where: string): string {
  if (found.length === 0) return `No lists in ${safeText(shortPath(where))}.\n`;
  const { stdout, env } = process;
  const theme = themeFor(stdout, env);
  const times = new ShownTimes(Date.now());
  const row = (
    session: string,
    agent: string,
    { completed, in_progress, pending, doing, updatedAt, damaged }: Summary,
  ) =>
    [
      shortPath(session),
      agent,
      `${completed}/${completed + in_progress + pending}`,
      +updatedAt > 0 ? times.ago(+updatedAt) : '',
      damaged === undefined ? (doing ?? '') : `damaged: ${damaged}`,
    ].map((text) => printable(text, theme));
  const rows = found.flatMap(({ session, lists, tasks }) => [
    ...lists.map((list) => row(session, list.agent, list)),
    ...(tasks ? [row(session, TEAM, tasks)] : []),
  ]);
  const heading = ['SESSION', 'AGENT', 'DONE', 'CHANGED', 'IN PROGRESS'];
  const width = stdout.isTTY && stdout.columns ? stdout.columns - 1 : undefined;
  const lines = table([heading, ...rows], { width, ellipsis: theme.ellipsis }, (y, x) =>
    y === 0 ? theme.paint.strong : x === 4 ? theme.paint.inProgress : (text) => text,
  );
  return lines.map((line) => `${line}\n`).join('');
}
