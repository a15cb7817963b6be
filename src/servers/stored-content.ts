import { endOfString } from '../base/json/json-problem.ts';
import { MOST_VERSION_BYTES, refuseTooLarge } from '../lists/version-file.ts';

/** A server sends more than lists ever need: it is broken, or somebody else's. */
export class TooMuch extends Error {}

const MIB = 1024 * 1024;
/** The most bytes of an answer: 50 versions of the largest size that etcd accepts. */
const MOST_BYTES = 128 * MIB;
/** Metadata, the deepest part of a list, has 20. Each level costs a parser much more than its two bytes. */
const MOST_LEVELS = 100;
/** An empty object takes thirty times its bytes. 10,000 tasks are 200,000 values. */
const MOST_VALUES = 5_000_000;

/** @throws TooMuch. */
export function refuseTooMuch(bytes: number): void {
  if (bytes > MOST_BYTES) throw new TooMuch(`it sent more than ${MOST_BYTES / MIB} MiB at once`);
}

/** Decompresses gzip. @throws TooMuch, or another Error if it is damaged. */
function unpack(bytes: Buffer): Buffer {
  try {
    const { gunzipSync } = process.getBuiltinModule('node:zlib');
    return gunzipSync(bytes, { maxOutputLength: MOST_VERSION_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new TooMuch(`it unpacks to more than ${MOST_VERSION_BYTES / MIB} MiB`);
  }
}

/** @throws TooMuch if it is nested too deeply or has too many values, SyntaxError if it is no JSON. */
export function parseBounded(json: string): unknown {
  let [levels, values] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      at = endOfString(json, at) - 1;
      // JSON.parse refuses a string without an end.
      if (at < 0) break;
    } else if (character === '[' || character === '{') levels++;
    else if (character === ']' || character === '}') levels--;
    else if (character === ',') values++;
    if (levels > MOST_LEVELS) throw new TooMuch(`its JSON has more than ${MOST_LEVELS} levels`);
    if (values > MOST_VALUES) throw new TooMuch(`its JSON has more than ${MOST_VALUES} values`);
  }
  return JSON.parse(json);
}

export interface StoredContent<T> {
  /** Unique: a writer recognizes its own version by it. */
  readonly id: string;
  readonly at: string;
  readonly by: string;
  readonly content: T;
  /** Only of newer builds, where older ones must not take it for damaged. */
  readonly format?: number;
}

/** Larger texts are compressed: 10,000 tasks shrink from 3.5 MB to 0.5 MB. */
const COMPRESSED_FROM_BYTES = 100 * 1024;
const GZIP = 0x1f;

/** JSON, compressed if large. @throws StateError if it would be too large to read. */
export function encodeContent(stored: StoredContent<unknown>): Buffer {
  const json = Buffer.from(JSON.stringify(stored));
  refuseTooLarge(json);
  if (json.length < COMPRESSED_FROM_BYTES) return json;
  return process.getBuiltinModule('node:zlib').gzipSync(json);
}

type Unreadable = { readonly problem: string } | { readonly newerFormat: string };

export function decodeContent<T>(bytes: Buffer): StoredContent<T> | Unreadable {
  try {
    const json = (bytes[0] === GZIP ? unpack(bytes) : bytes).toString('utf8');
    const { id, at, by, content, format } = parseBounded(json) as StoredContent<T>;
    if (typeof format === 'number')
      return { newerFormat: `has format ${format}, which this program cannot read: update it` };
    const isWhole =
      typeof id === 'string' && typeof by === 'string' && !Number.isNaN(Date.parse(at));
    if (isWhole && content !== undefined) return { id, at, by, content };
    return { problem: 'it cannot be read' };
  } catch (error) {
    return { problem: error instanceof TooMuch ? error.message : 'it cannot be read' };
  }
}
