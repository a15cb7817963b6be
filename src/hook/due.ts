import { Replay } from '../guidance/replay.ts';
import { WRITES_LIST } from '../guidance/rule.ts';
import { LINE_RULES } from '../guidance/rules.ts';
import type { GuidanceSettings } from '../settings/settings.ts';
import type { Awaitable } from '../state/place.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { type Entry, pastOf, type Reading } from './journal.ts';

/** A hook speaks into a conversation, so it says each thing once per state of the list. */
const RULES = LINE_RULES.map((rule) => ({ ...rule, times: 1 }));
/** A line of which we only know that it ran; it cannot be parsed. */
const SOME_LINE = { line: '(', exitCode: undefined };
/** After as many lines, or as TODO_REMINDER_TURNS says, all was said that there is to say of a list that stays as it is. */
const MOST_LINES = 10;

/** The list, as far as guidance needs it. */
interface List {
  readonly newest: TodoVersion;
  /** Newest first. Asked for only if a line has written the list after another had failed. */
  readonly history: () => Awaitable<readonly TodoVersion[]>;
}

/**
 * What guidance says of the last entry, a command line, and of the lines of its session before it that the harness dropped.
 */
export async function guidanceDue(
  reading: Reading,
  list: List,
  settings: GuidanceSettings,
): Promise<string> {
  const { before, entries } = reading;
  const [first, session] = [firstUnsaid(entries), entries.at(-1)?.session];
  const isOwn = (entry: Entry) => entry.session === session && entry.line !== undefined;
  const wroteList = ({ line = '', version }: Entry, at: number) =>
    WRITES_LIST.test(line) && version !== (entries[at - 1] ?? before).version;
  const all = [...reading.oldLines, ...entries];
  const isJudged =
    all.some((entry) => isOwn(entry) && (entry.exit ?? 0) > 0) &&
    entries.some((entry, at) => at >= first && isOwn(entry) && wroteList(entry, at));
  const replay = new Replay({ rules: RULES, settings: () => settings });
  const unsaid = new Set(entries.slice(first).filter(isOwn));
  if (isJudged) return (await judge(replay, all, unsaid, await list.history())).join('\n');
  const { newest } = list;
  const start = entries.findIndex((entry) => unsaid.has(entry) && entry.version === newest.version);
  const earlier = entries.slice(0, Math.max(0, start));
  const isSame = (earlier.at(-1) ?? before).version === newest.version;
  const lines = isSame ? pastOf(session ?? '', before, earlier).lines : 0;
  replay.found(newest);
  const most = Math.min(lines, Math.max(MOST_LINES, settings.reminderTurns));
  for (let line = 0; line < most; line++) replay.past(SOME_LINE);
  const said: string[] = [];
  for (const [at, entry] of entries.entries()) {
    if (at < start || !unsaid.has(entry) || wroteList(entry, at)) continue;
    said.push(...(await replay.latest({ line: entry.line ?? '', exitCode: entry.exit })));
  }
  return said.join('\n');
}

/** Goes through all lines with the versions of the list. Gives what is said of those that are unsaid. */
async function judge(
  replay: Replay,
  all: readonly Entry[],
  unsaid: ReadonlySet<Entry>,
  history: readonly TodoVersion[],
): Promise<string[]> {
  const session = all.at(-1)?.session;
  const versions = new Map(history.map((version) => [version.version, version]));
  const said: string[] = [];
  let seen: number | undefined;
  for (const entry of all) {
    const { line, exit: exitCode, version } = entry;
    const list = version === seen ? undefined : versions.get(version);
    seen = version;
    if (line === undefined || entry.session !== session) {
      if (list) replay.found(list);
    } else if (unsaid.has(entry)) {
      said.push(...(await replay.latest({ line, exitCode, list })));
    } else replay.past({ line, exitCode, list });
  }
  return said;
}

/** The last entry, or the first of the lines before it that were dropped. */
function firstUnsaid(entries: readonly Entry[]): number {
  let first = entries.length - 1;
  const session = entries[first]?.session;
  for (let at = first - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry?.session !== session || entry?.line === undefined) continue;
    if (!entry.isUnheard) break;
    first = at;
  }
  return first;
}
