import type { GuidanceSettings } from '../../base/settings/settings.ts';
import { saidAfterLine } from '../../guidance/reminders.ts';
import { LINE_RULES } from '../../guidance/rules.ts';
import { WRITES_LIST } from '../../guidance/work.ts';
import type { Awaitable } from '../../lists/maybe-async.ts';
import type { TodoVersion } from '../../todo/todo-version.ts';
import { type JournalReading, pastOf } from './journal.ts';

/** A conversation keeps what a hook says, so each reminder is given once per state of the list. */
const RULES = LINE_RULES.map((rule) => ({ ...rule, times: 1 }));

interface DueList {
  readonly newest: TodoVersion;
  /** Newest first. */
  readonly history: () => Awaitable<readonly TodoVersion[]>;
}

/** The guidance for the last entry, a command line. */
export async function guidanceDue(
  { before, oldLines, entries }: JournalReading,
  { newest, history }: DueList,
  settings: GuidanceSettings,
): Promise<string> {
  const last = entries.at(-1);
  if (last === undefined) return '';
  const { session, version, line: lastLine = '' } = last;
  const lines = [...oldLines, ...entries].flatMap(({ session: of, line, exit: exitCode }) =>
    of === session && line !== undefined ? { line, exitCode } : [],
  );
  const versionBefore = (entries.at(-2) ?? before).version;
  const isJudged =
    version !== versionBefore &&
    WRITES_LIST.test(lastLine) &&
    lines.some(({ exitCode = 0 }) => exitCode > 0);
  const listBefore = isJudged
    ? (await history()).find((one) => one.version === versionBefore)
    : undefined;
  const kept = {
    items: newest.items,
    itemsBefore: listBefore?.items,
    lines,
    commandsSinceWrite: pastOf(session, before, entries).lines,
  };
  return saidAfterLine(kept, RULES, settings);
}
