import { isStored, type Shape } from '../../base/json/stored.ts';
import {
  appendOwnFile,
  codeOf,
  makeFolders,
  orElse,
  readOwnFile,
  replaceFile,
} from '../../base/system/files.ts';
import { mayVerify } from '../../guidance/verifications.ts';
import { WRITES_LIST } from '../../guidance/work.ts';
import { newId } from '../../lists/place.ts';

/** An entry of the journal: an event or a reply of the hook. */
export interface JournalEntry {
  readonly id: string;
  /** The harness's session. */
  readonly session: string;
  /** The version of the list at that time. */
  readonly version: number;
  /** An ISO time, as in `2026-01-31T12:00:00.000Z`. */
  readonly at: string;
  /** A command line that has ended; the beginning of a long one. */
  readonly line?: string;
  /** Its exit code, if that is known. */
  readonly exit?: number;
  /** The list was shown, or a stop was refused. */
  readonly said?: 'shown' | 'gate';
  /** The conversation is about to be cut. */
  readonly cut?: true;
  /** A subagent began or ended. */
  readonly helpers?: 1 | -1;
}

/** A session's past with the list. */
export interface Past {
  /** The lines of the session after the one that wrote the list. */
  readonly lines: number;
  /** True if one of its lines wrote the list. */
  readonly hasWritten: boolean;
  /** The version that its conversation saw last; 0 for none, or after a cut. */
  readonly shown: number;
  /** The lines since its conversation had the list, shown or written; undefined if it does not have it. */
  readonly linesSince?: number | undefined;
  /** The versions at which a stop was refused, the newest last. */
  readonly refusedAt: readonly number[];
  /** The subagents that run; undefined for none. */
  readonly helpers?: number | undefined;
}

/** The pasts of all sessions on one list. */
interface Pasts {
  /** The version of the list. */
  readonly version: number;
  /** The latest at the end. */
  readonly sessions: readonly (readonly [session: string, past: Past])[];
}

const SESSIONS_KEPT = 5;
/** The finish gate asks about the last two. */
const REFUSALS_KEPT = 4;

const NO_PASTS: Pasts = { version: 0, sessions: [] };
const NO_PAST: Past = {
  lines: 0,
  hasWritten: false,
  shown: 0,
  refusedAt: [],
};

export function pastOf(session: string, before: Pasts, entries: readonly JournalEntry[]): Past {
  return new Map(pastsAfter(before, entries).sessions).get(session) ?? NO_PAST;
}

function pastsAfter(before: Pasts, entries: readonly JournalEntry[]): Pasts {
  let { version } = before;
  const sessions = new Map(before.sessions);
  for (const entry of entries) {
    const isListNew = entry.version !== version;
    version = entry.version;
    // 1. A new list begins the count of lines anew, for all.
    if (isListNew) for (const [name, past] of sessions) sessions.set(name, { ...past, lines: 0 });
    // 2. The entry's session comes to the end, with its past after the entry.
    const past = sessions.get(entry.session) ?? NO_PAST;
    sessions.delete(entry.session);
    sessions.set(entry.session, pastAfter(past, entry, isListNew));
  }
  return { version, sessions: [...sessions].slice(-SESSIONS_KEPT) };
}

function pastAfter(past: Past, entry: JournalEntry, isListNew: boolean): Past {
  const { line, version, said, cut } = entry;
  const { refusedAt } = past;
  const isLine = line !== undefined;
  const wrote = isListNew && isLine && WRITES_LIST.test(line);
  const since =
    said === 'shown' || wrote
      ? 0
      : past.linesSince === undefined
        ? undefined
        : past.linesSince + Number(isLine);
  return {
    lines: past.lines + Number(isLine && !wrote),
    hasWritten: past.hasWritten || wrote,
    shown: said === 'shown' ? version : past.shown,
    linesSince: cut ? undefined : since,
    refusedAt:
      said === 'gate' && !refusedAt.includes(version)
        ? [...refusedAt, version].slice(-REFUSALS_KEPT)
        : refusedAt,
    // Of one that is interrupted no end is reported.
    helpers: cut ? undefined : Math.max(0, (past.helpers ?? 0) + (entry.helpers ?? 0)) || undefined,
  };
}

export interface JournalReading {
  /** The sessions' pasts before the entries. */
  readonly before: Pasts;
  /** Lines from before the entries that may still tell something. */
  readonly oldLines: readonly JournalEntry[];
  readonly entries: readonly JournalEntry[];
}

const JOURNAL_FILE = 'hook.jsonl';
/** Only the end of a longer file is read. */
const MAX_BYTES_READ = 32 * 1024;
/** A larger file is shortened to about half of this, which leaves room for what others add meanwhile. */
const MAX_JOURNAL_BYTES = 24 * 1024;
const BYTES_OF_ENTRIES = 8 * 1024;
const BYTES_OF_OLD_LINES = 3 * 1024;
const MAX_BYTES_OF_LINE = 2048;
const CHARACTERS_OF_LONG_LINE = 300;
const MAX_SESSION_CHARACTERS = 100;
/** The end of a cut line: a syntax error, so that no reader takes the beginning for the whole line. */
const CUT_LINE = '\n(';

/**
 * The memory of the hook about one list, a file. Calls of the hook are processes and may run at once: each appends one line and
 * reads them all, so all agree on the order. A line that a killed process left incomplete is skipped.
 */
export class Journal {
  readonly #folder: string;
  readonly #path: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = `${folder}/${JOURNAL_FILE}`;
  }

  /** Adds an entry and reads all up to it; no entries if others have added too many at once. */
  add(entry: Omit<JournalEntry, 'id'>): JournalReading {
    makeFolders(this.#folder);
    const id = newId();
    // The newline separates it from an incomplete line of a killed process.
    appendOwnFile(this.#path, `\n${JSON.stringify({ id, ...bounded(entry) })}\n`);
    const { reading, bytes } = this.#read();
    if (bytes > MAX_JOURNAL_BYTES) this.#replace(shortenedJournal(reading));
    const { entries } = reading;
    return { ...reading, entries: entries.slice(0, entries.findIndex((one) => one.id === id) + 1) };
  }

  read(): JournalReading {
    return this.#read().reading;
  }

  #read(): { reading: JournalReading; bytes: number } {
    let bytes: Buffer = Buffer.alloc(0);
    try {
      bytes = readOwnFile(this.#path, MAX_BYTES_READ);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    return { reading: readingOf(bytes.toString().split('\n')), bytes: bytes.length };
  }

  /** Entries that another process adds meanwhile are lost: at worst, a count is one too low. */
  #replace({ before, oldLines, entries }: JournalReading): void {
    const lines = [{ before, oldLines }, ...entries].map((line) => `${JSON.stringify(line)}\n`);
    replaceFile(this.#path, lines.join(''));
  }
}

/** The name of a session in a journal. */
export function keyOf(session: string): string {
  return session.slice(0, MAX_SESSION_CHARACTERS);
}

function bounded(entry: Omit<JournalEntry, 'id'>): Omit<JournalEntry, 'id'> {
  const { line, session } = entry;
  const isLong = line !== undefined && Buffer.byteLength(JSON.stringify(line)) > MAX_BYTES_OF_LINE;
  const name = isLong ? (WRITES_LIST.exec(line)?.[0] ?? '') : '';
  return {
    ...entry,
    session: keyOf(session),
    ...(isLong && { line: line.slice(0, CHARACTERS_OF_LONG_LINE) + CUT_LINE + name }),
  };
}

/** The newest entries; the older ones only as pasts and lines that may verify. */
function shortenedJournal({ before, oldLines, entries }: JournalReading) {
  const kept = newestWithin(BYTES_OF_ENTRIES, entries);
  const left = entries.slice(0, entries.length - kept.length);
  const needed = left.filter(({ line }) => line !== undefined && mayVerify(line));
  return {
    before: pastsAfter(before, left),
    oldLines: newestWithin(BYTES_OF_OLD_LINES, [...oldLines, ...needed]),
    entries: kept,
  };
}

function newestWithin<T>(bytes: number, all: readonly T[]): readonly T[] {
  let room = bytes;
  const tooOld = all.findLastIndex((one) => {
    room -= Buffer.byteLength(JSON.stringify(one));
    return room < 0;
  });
  return all.slice(tooOld + 1);
}

/** The first line of a shortened file has the pasts; a new file has none, nor has the end of a long one. */
function readingOf(lines: readonly string[]): JournalReading {
  const [first, ...others] = lines.flatMap(parsedLine);
  const isBeginning = isStored(BEGINNING, first);
  const { before, oldLines } = (isBeginning ? first : NOTHING_BEFORE) as typeof NOTHING_BEFORE;
  const entries = isBeginning ? others : [first, ...others];
  return { before, oldLines, entries: entries.filter((one) => isStored(ENTRY, one)) as never };
}

type Beginning = Omit<JournalReading, 'entries'>;
const NOTHING_BEFORE: Beginning = { before: NO_PASTS, oldLines: [] };

function parsedLine(line: string): unknown[] {
  const value: unknown = orElse(() => JSON.parse(line), undefined);
  return value === undefined ? [] : [value];
}

// The file may be an earlier build's, or anybody's who may write to the folder of lists.
const isNumber = (value: unknown) => typeof value === 'number';
const ENTRY: Shape = {
  has: {
    id: 'text',
    session: 'text',
    version: 'count',
    at: 'text',
    line: { maybe: 'text' },
    exit: { maybe: isNumber },
    helpers: { maybe: isNumber },
  },
};
const PAST: Shape = {
  has: {
    lines: 'count',
    hasWritten: 'flag',
    shown: 'count',
    linesSince: { maybe: 'count' },
    refusedAt: ['count'],
    helpers: { maybe: 'count' },
  },
};
const isSession = (one: unknown) =>
  Array.isArray(one) && typeof one[0] === 'string' && isStored(PAST, one[1]);
const BEGINNING: Shape = {
  has: { before: { has: { version: 'count', sessions: [isSession] } }, oldLines: [ENTRY] },
};
