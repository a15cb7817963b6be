import { createInterface } from 'node:readline/promises';
import { EXIT_CODES } from '../base/command/agent-command.ts';
import { inQuotes, safeText } from '../base/safe-text.ts';
import { writeAll } from '../base/system/files.ts';
import type { SessionList } from './model.ts';
import { shortPath } from './sources.ts';
import type { WatchedLists } from './watched-lists.ts';

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000 } as const;
const AGE = /^(\d{1,6})([dhm])$/;

interface RemovalOptions {
  readonly '--remove'?: string | undefined;
  readonly '--older'?: string | undefined;
  readonly '--yes'?: boolean | undefined;
}

/** Removes the lists of a session, or those unchanged for some time, after asking. Returns the exit code. */
export async function removeSessions(
  watched: WatchedLists,
  all: readonly SessionList[],
  { '--remove': name, '--older': age, '--yes': isSure = false }: RemovalOptions,
): Promise<number> {
  const [, count = '', unit = 'd'] = AGE.exec(age ?? '') ?? [];
  if ((name === undefined) === (age === undefined))
    return wrong('use --remove NAME or --older AGE');
  if (age !== undefined && count === '') {
    return wrong(`--older takes an age such as 30d, 12h or 90m, received ${inQuotes(age)}`);
  }
  const before = Date.now() - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const chosen = all.filter(({ session, newest }) =>
    name === undefined ? +newest.updatedAt < before : [session, shortPath(session)].includes(name),
  );
  if (chosen.length === 0) {
    const none =
      name === undefined ? `no list is older than ${age}` : `no session ${inQuotes(name)}`;
    writeAll(2, `agent-shell: ${none}; see agent-shell sessions\n`);
    return name === undefined ? 0 : EXIT_CODES.refused;
  }
  if (!isSure && !process.stdin.isTTY)
    return wrong('add --yes to remove lists without being asked');
  if (!isSure && !(await isAgreed(chosen))) return EXIT_CODES.refused;
  let removed = 0;
  for (const list of chosen) {
    if (await watched.remove(list)) removed += 1;
    else writeAll(2, `agent-shell: ${listName(list)} is in use; it was left alone\n`);
  }
  writeAll(1, `Removed ${countText(removed)}.\n`);
  return removed === chosen.length ? 0 : EXIT_CODES.refused;
}

async function isAgreed(chosen: readonly SessionList[]): Promise<boolean> {
  writeAll(1, chosen.map((list) => `${listName(list)}\n`).join(''));
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(
    `Remove ${countText(chosen.length)}, with their history? [y/N] `,
  );
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function listName({ session, agent }: SessionList): string {
  return safeText(`${shortPath(session)} ${agent}`);
}

function countText(count: number): string {
  return `${count} ${count === 1 ? 'list' : 'lists'}`;
}

function wrong(problem: string): number {
  writeAll(2, `agent-shell: ${problem}; see agent-shell sessions --help\n`);
  return EXIT_CODES.wrongUsage;
}
