import { StateError } from '../state-error.ts';
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
