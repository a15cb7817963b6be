import { createInterface } from 'node:readline/promises';
import { type CommandResult, done, EXIT_CODES, failed } from '../base/command/agent-command.ts';
import { HELP_OPTIONS, helpReply, type Options, parseOptions } from '../base/command/options.ts';
import { exitCodeOf, seeHelp } from '../base/command/replies.ts';
import { StateError } from '../base/command/state-error.ts';
import { limitCommand } from '../base/command/time-limit.ts';
import { UNIT_MS } from '../base/duration.ts';
import { jsonLine } from '../base/json/fields.ts';
import { counted, inQuotes, safeText } from '../base/safe-text.ts';
import { writeAll } from '../base/system/files.ts';
import { sessionKey } from '../lists/list-paths.ts';
import { REMOVED_THERE } from '../lists/storage.ts';
import { printable } from '../screen/panel/look.ts';
import { ShownTimes } from '../screen/panel/shown-times.ts';
import { themeFor } from '../screen/panel/theme.ts';
import { table } from '../screen/terminal/lines.ts';
import type { TaskStatus } from '../tasks/task.ts';
import type { FoundSession, SessionList } from './model.ts';
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

/** `agent-shell sessions`. */
export async function sessionsCommand(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const parsed = parseOptions(argv, SESSIONS_OPTIONS);
  if ('problem' in parsed) return wrong(parsed.problem);
  const { options, rest } = parsed;
  const [, usage = ''] = /^(Usage: .*\n)/m.exec(helpPage) ?? [];
  const help = helpReply(options, usage, helpPage);
  if (help) return help;
  if (rest[0] !== undefined) return wrong(`sessions takes no argument ${inQuotes(rest[0])}`);
  const watched = new WatchedLists(environment);
  try {
    return await limitCommand(watched.settings, async () => {
      const found = await watched.find(Number.POSITIVE_INFINITY);
      const { '--json': json, ...removal } = options;
      if (Object.keys(removal).length > 0) return chooseAndRemove(watched, found, removal);
      const sessions = found.map(sessionSummary);
      const where = await watched.storage.name();
      return done(json ? jsonLine({ sessions }) : sessionsText(sessions, where));
    });
  } finally {
    await watched.close();
  }
}

/** As `--json` prints it. */
function sessionSummary({ session, lists }: FoundSession) {
  const own = lists.filter(({ key }) => !isTeamKey(key));
  const team = lists.find(({ key }) => isTeamKey(key));
  return {
    session,
    lists: own.map((list) => ({ agent: list.agent, ...summaryOf(list) })),
    ...(team && { tasks: summaryOf(team) }),
  };
}

function summaryOf({ newest: { items, updatedAt, version }, damage, unreadable }: SessionList) {
  const count = (status: TaskStatus) => items.filter((item) => item.status === status).length;
  return {
    completed: count('completed'),
    in_progress: count('in_progress'),
    pending: count('pending'),
    doing: items.find(({ status }) => status === 'in_progress')?.activeForm,
    updatedAt,
    version,
    damaged: damage,
    unreadable,
  };
}

function sessionsText(found: readonly ReturnType<typeof sessionSummary>[], where: string): string {
  if (found.length === 0) return `No lists in ${safeText(shortPath(where))}.\n`;
  const { stdout, env } = process;
  const theme = themeFor(stdout, env);
  const times = new ShownTimes(Date.now());
  const rows = found.flatMap(({ session, lists, tasks }) =>
    [...lists, ...(tasks ? [{ agent: TEAM, ...tasks }] : [])].map((list) => {
      const { agent, completed, in_progress, pending, doing = '', updatedAt } = list;
      const trouble = list.damaged ? 'damaged' : 'unreadable';
      return [
        shortPath(session),
        agent,
        `${completed}/${completed + in_progress + pending}`,
        +updatedAt > 0 ? times.ago(+updatedAt) : '',
        list[trouble] ? `${trouble}: ${list[trouble]}` : doing,
      ].map((text) => printable(text, theme));
    }),
  );
  const heading = ['SESSION', 'AGENT', 'DONE', 'CHANGED', 'IN PROGRESS'];
  const width = stdout.columns ? stdout.columns - 1 : undefined;
  const lines = table([heading, ...rows], width, (y, x) =>
    y === 0 ? theme.paint.strong : x === 4 ? theme.paint.inProgress : (text) => text,
  );
  return lines.map((line) => `${line}\n`).join('');
}

const AGE = /^(\d{1,6})([dhm])$/;

/** Removes the lists of a session, or those unchanged for some time, after asking. */
async function chooseAndRemove(
  watched: WatchedLists,
  found: readonly FoundSession[],
  { '--remove': name, '--older': age, '--yes': isSure }: Options<typeof SESSIONS_OPTIONS>,
): Promise<CommandResult> {
  const [, count = '', unit = 'd'] = AGE.exec(age ?? '') ?? [];
  if ((name === undefined) === (age === undefined))
    return wrong('use --remove NAME or --older AGE');
  if (age !== undefined && count === '') {
    return wrong(`--older takes an age such as 30d, 12h or 90m, received ${inQuotes(age)}`);
  }
  if (watched.settings.stateUrl !== undefined) throw new StateError(REMOVED_THERE);
  const before = Date.now() - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const chosen = found
    .filter(
      ({ key, session }) =>
        name === undefined ||
        key === sessionKey(name) ||
        [session, shortPath(session)].includes(name),
    )
    .flatMap(({ lists }) => lists)
    .filter(({ newest }) => name !== undefined || +newest.updatedAt < before);
  if (chosen.length === 0) {
    const none =
      name === undefined ? `no list is older than ${age}` : `no session ${inQuotes(name)}`;
    const stderr = seeHelp(none, 'agent-shell sessions');
    return name === undefined ? done('', stderr) : failed('refused', stderr);
  }
  if (!isSure && !process.stdin.isTTY)
    return wrong('add --yes to remove lists without being asked');
  if (!isSure && !(await isAgreed(chosen))) return failed('refused', '');
  return removeLists(watched, chosen);
}

async function removeLists(
  watched: WatchedLists,
  lists: readonly SessionList[],
): Promise<CommandResult> {
  const { removed, kept, errors } = await watched.removeAll(lists);
  const lines = [
    ...kept.map((list) => `${listName(list)} is in use; it was left alone`),
    ...errors.map(({ message }) => safeText(message)),
  ];
  const refused = kept.length > 0 ? EXIT_CODES.refused : 0;
  return {
    stdout: `Removed ${counted(removed, 'list')}.\n`,
    stderr: lines.map((line) => `agent-shell: ${line}\n`).join(''),
    exitCode: errors[0] ? exitCodeOf(errors[0]) : refused,
  };
}

async function isAgreed(chosen: readonly SessionList[]): Promise<boolean> {
  writeAll(1, chosen.map((list) => `${listName(list)}\n`).join(''));
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(
    `Remove ${counted(chosen.length, 'list')}, with their history? [y/N] `,
  );
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function listName({ session, agent }: SessionList): string {
  return safeText(`${shortPath(session)} ${agent}`);
}

function wrong(problem: string): CommandResult {
  return failed('wrongUsage', seeHelp(problem, 'agent-shell sessions --help'));
}
