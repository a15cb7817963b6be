import { WRITES_LIST } from '../guidance/rule.ts';

/** What one call of the hook has seen, or said. */
export interface Entry {
  readonly id: string;
  /** The harness's session. */
  readonly session: string;
  /** The version of the list at that time. */
  readonly version: number;
  /** When it was added, as in `2026-01-31T12:00:00.000Z`. */
  readonly at: string;
  /** A command line that has ended; of a long one the beginning. */
  readonly line?: string;
  /** Its exit code, if that is known. */
  readonly exit?: number;
  /** The harness drops what is said of the line. */
  readonly isUnheard?: true;
  /** What was said of this version of the list. */
  readonly said?: 'shown' | 'gate';
  /** The conversation is about to be cut. */
  readonly cut?: true;
}

/** What one session has done with the list, and was told of it. */
export interface Past {
  /** How many of its lines have ended since the list became what it is; one that wrote it does not count. */
  readonly lines: number;
  /** Whether one of its lines wrote the list. */
  readonly hasWritten: boolean;
  /** The version that its conversation has seen last; 0 for none, or if it was cut since. */
  readonly shown: number;
  /** The versions at which a stop was refused, the newest last. */
  readonly refusedAt: readonly number[];
  /** When it was last heard of. */
  readonly at: string | undefined;
}

/** The pasts of all sessions on one list. */
export interface Pasts {
  /** The version of the list. */
  readonly version: number;
  /** Those that were heard of last, the latest at the end. */
  readonly sessions: readonly (readonly [session: string, past: Past])[];
}

const SESSIONS_KEPT = 5;
/** The finish gate asks about the last two. */
const REFUSALS_KEPT = 4;

export const NO_PASTS: Pasts = { version: 0, sessions: [] };
const NO_PAST: Past = { lines: 0, hasWritten: false, shown: 0, refusedAt: [], at: undefined };

/** The past of a session after these entries. */
export function pastOf(session: string, before: Pasts, entries: readonly Entry[]): Past {
  return new Map(pastsAfter(before, entries).sessions).get(session) ?? NO_PAST;
}

/** What becomes of the pasts by these entries, in their order. */
export function pastsAfter(before: Pasts, entries: readonly Entry[]): Pasts {
  let { version } = before;
  const sessions = new Map(before.sessions);
  for (const entry of entries) {
    if (entry.version !== version) {
      for (const [session, past] of sessions) sessions.set(session, { ...past, lines: 0 });
    }
    const past = sessions.get(entry.session) ?? NO_PAST;
    // What was heard of last stands last.
    sessions.delete(entry.session);
    sessions.set(entry.session, after(past, entry, entry.version !== version));
    version = entry.version;
  }
  return { version, sessions: [...sessions].slice(-SESSIONS_KEPT) };
}

function after(past: Past, entry: Entry, isListNew: boolean): Past {
  const { line, version, said, at } = entry;
  const hasWritten = isListNew && line !== undefined && WRITES_LIST.test(line);
  return {
    lines: past.lines + (line === undefined || hasWritten ? 0 : 1),
    hasWritten: past.hasWritten || hasWritten,
    shown: entry.cut ? 0 : said === 'shown' ? version : past.shown,
    refusedAt:
      said === 'gate' ? [...past.refusedAt, version].slice(-REFUSALS_KEPT) : past.refusedAt,
    at,
  };
}
