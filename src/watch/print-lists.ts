import { EXIT_CODES } from '../command/agent-command.ts';
import { plainReport } from '../panel/plain-report.ts';
import { safeText } from '../safe-text.ts';
import { sessionKey } from '../state/list-paths.ts';
import { damageNote } from '../state/place.ts';
import { StateError } from '../state/state-error.ts';
import { listJson } from '../todo/list-text.ts';
import type { TodoState } from '../todo/todo-version.ts';
import { endingSignals } from './ending-signals.ts';
import type { Follower } from './follow.ts';
import { watchedLists } from './sources.ts';
import type { WatchArguments } from './watch-arguments.ts';
import type { WatchedLists } from './watched-lists.ts';

/** Prints each change of the lists, as a line of words or JSON, until a signal. Returns the exit code. */
export async function printLists({ list, all, jsonl }: WatchArguments): Promise<number> {
  const watched = watchedLists();
  const signals = endingSignals();
  const exitCode = await printUntil(signals.exitCode, watched, { list, all, jsonl }).catch(
    (error) => sayTrouble(error),
  );
  signals.ignore();
  await watched.close();
  return exitCode;
}

async function printUntil(
  ended: Promise<number>,
  watched: WatchedLists,
  { list, all, jsonl }: Pick<WatchArguments, 'list' | 'all' | 'jsonl'>,
): Promise<number> {
  const name = watched.lists.name(list);
  // A list that is unreadable from the start is an error. One that becomes so may be fixed while we watch.
  let isStart = true;
  let told = '';
  let failAtStart = (_exitCode: number) => {};
  const failedAtStart = new Promise<number>((resolve) => {
    failAtStart = resolve;
  });
  const print = jsonl ? jsonPrinter(name.session) : wordsPrinter(all ? undefined : name.agent);
  const follower: Follower = {
    changed: (of, version) => {
      told = '';
      if (version.damage) sayTrouble(new StateError(damageNote(version) ?? ''));
      print(of, version);
    },
    failed: (error) => {
      // Report a server that stays away only once.
      if (String(error) === told) return;
      told = String(error);
      const exitCode = sayTrouble(error);
      if (isStart) failAtStart(exitCode);
    },
    reached: () => {
      isStart = false;
      told = '';
    },
  };
  // Without a harness session id, all of its sessions are meant.
  const isMeant = (agent: string) => agent === name.agent || agent.startsWith(`${name.agent}@`);
  const options = { start: 'newest', isMeant: all ? undefined : isMeant } as const;
  const end = watched.follow(sessionKey(name.session), follower, options);
  if (!watched.lists.lists.isFar) isStart = false;
  try {
    return await Promise.race([failedAtStart, ended]);
  } finally {
    end();
  }
}

function sayTrouble(error: unknown): number {
  if (!(error instanceof StateError)) throw error;
  process.stderr.write(`agent-shell: ${safeText(error.message)}\n`);
  return EXIT_CODES.storageTrouble;
}

function jsonPrinter(session: string): Follower['changed'] {
  return ({ agent }, version) => process.stdout.write(listJson(version, { session, agent }));
}

/** @param asked the agent that was asked for: its changes need no name in front. */
function wordsPrinter(asked: string | undefined): Follower['changed'] {
  const known = new Map<string, TodoState>();
  return ({ agent }, version) => {
    const before = known.get(agent) ?? { items: [], updatedAt: version.updatedAt };
    known.set(agent, version);
    const report = plainReport(before, version);
    const label = agent === asked ? '' : `${safeText(agent)}: `;
    if (report !== '') process.stdout.write(`${label}${report}\n`);
  };
}
