import { type ContentCheck, type HistoryRange, standIn, type Version } from '../place.ts';
import { DamagedVersion, StateError } from '../state-error.ts';
import { MOST_UNPACKED_BYTES, parse, TooMuch, unpack } from './bounds.ts';

/** One version as an engine stores it beside its number. */
export interface StoredContent<T> {
  /** Unique: a writer recognizes its own version by it. */
  readonly id: string;
  readonly at: string;
  readonly by: string;
  readonly content: T;
}

/** Larger texts are compressed: a list of 10,000 tasks is 3.5 MB, and 0.5 MB compressed. */
const COMPRESSED_FROM_BYTES = 100 * 1024;
const GZIP = 0x1f;

/** JSON, compressed where it is large. @throws StateError where nobody would read it again. */
export function encodeContent(stored: StoredContent<unknown>): Buffer {
  const json = Buffer.from(JSON.stringify(stored));
  if (json.length > MOST_UNPACKED_BYTES) {
    throw new StateError(
      `the list is too large: ${json.length} bytes, at most ${MOST_UNPACKED_BYTES}; nothing was changed`,
    );
  }
  if (json.length < COMPRESSED_FROM_BYTES) return json;
  return process.getBuiltinModule('node:zlib').gzipSync(json);
}

/**
 * A version as a server gave it.
 *
 * @param where names the list and the server in errors.
 * @throws DamagedVersion where it is not what `encodeContent` makes, or `check` finds its content wrong: others may write there.
 */
export function versionOf<T>(
  version: number,
  bytes: Buffer,
  where: string,
  check: ContentCheck | undefined,
): Version<T> {
  const stored = decodeContent<T>(bytes);
  const problem = 'problem' in stored ? stored.problem : check?.(stored.content);
  if ('problem' in stored || problem !== undefined) {
    throw new DamagedVersion(
      `${where}: version ${version} is damaged: ${problem}`,
      version,
      'it is',
    );
  }
  const { at, by, content } = stored;
  return { version, at: new Date(at), by, content };
}

/**
 * The versions of a range, newest first, with stand-ins for damaged ones.
 *
 * @param read gives what is stored of a range.
 * @throws DamagedVersion if the newest is damaged and none is whole.
 */
export async function readVersions<T, Stored>(
  read: (range: HistoryRange) => Promise<readonly Stored[]>,
  decode: (stored: Stored) => Version<T>,
  range: HistoryRange = {},
): Promise<Version<T>[]> {
  let found = decodeAll(await read(range), decode);
  if (found.some((version) => version instanceof DamagedVersion)) {
    const { newest, from = 1 } = range;
    const all = decodeAll(await read({}), decode);
    found = all.filter(({ version }) => version >= from).slice(0, newest);
  }
  if (found[0] instanceof DamagedVersion) throw found[0];
  return found.filter((version): version is Version<T> => !(version instanceof DamagedVersion));
}

function decodeAll<T, Stored>(
  newestFirst: readonly Stored[],
  decode: (stored: Stored) => Version<T>,
): (Version<T> | DamagedVersion)[] {
  let whole: Version<T> | undefined;
  const oldestFirst = newestFirst.toReversed().map((stored) => {
    try {
      whole = decode(stored);
      return whole;
    } catch (error) {
      if (!(error instanceof DamagedVersion)) throw error;
      return whole ? standIn(error, whole) : error;
    }
  });
  return oldestFirst.reverse();
}

/** What `encodeContent` made of it, or why it cannot be that. */
export function decodeContent<T>(bytes: Buffer): StoredContent<T> | { readonly problem: string } {
  try {
    const json = (bytes[0] === GZIP ? unpack(bytes) : bytes).toString('utf8');
    const { id, at, by, content } = parse(json) as StoredContent<T>;
    const isWhole =
      typeof id === 'string' && typeof by === 'string' && !Number.isNaN(Date.parse(at));
    if (isWhole && content !== undefined) return { id, at, by, content };
    return { problem: 'it cannot be read' };
  } catch (error) {
    return { problem: error instanceof TooMuch ? error.message : 'it cannot be read' };
  }
}
