import type { ContentCheck, Version } from '../place.ts';
import { StateError } from '../state-error.ts';

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

/** JSON, compressed where it is large. */
export function encodeContent(stored: StoredContent<unknown>): Buffer {
  const json = Buffer.from(JSON.stringify(stored));
  if (json.length < COMPRESSED_FROM_BYTES) return json;
  return process.getBuiltinModule('node:zlib').gzipSync(json);
}

/**
 * A version as a server gave it.
 *
 * @param where names the list and the server in errors.
 * @throws StateError where it is not what `encodeContent` makes, or `check` finds its content wrong: others may write there.
 */
export function versionOf<T>(
  version: number,
  bytes: Buffer,
  where: string,
  check: ContentCheck | undefined,
): Version<T> {
  const stored = decodeContent<T>(bytes);
  const problem = stored === undefined ? 'it cannot be read' : check?.(stored.content);
  if (stored === undefined || problem !== undefined) {
    throw new StateError(`${where}: version ${version} is damaged: ${problem}`);
  }
  const { at, by, content } = stored;
  return { version, at: new Date(at), by, content };
}

/** @returns undefined if the bytes are not what `encodeContent` makes. */
export function decodeContent<T>(bytes: Buffer): StoredContent<T> | undefined {
  try {
    const json =
      bytes[0] === GZIP ? process.getBuiltinModule('node:zlib').gunzipSync(bytes) : bytes;
    const { id, at, by, content } = JSON.parse(json.toString('utf8'));
    const isWhole =
      typeof id === 'string' && typeof by === 'string' && !Number.isNaN(Date.parse(at));
    return isWhole && content !== undefined ? { id, at, by, content } : undefined;
  } catch {
    return undefined;
  }
}
