import { StateError } from '../base/command/state-error.ts';
import { orElse } from '../base/system/files.ts';
import type { Version } from './place.ts';

export interface StoredVersion<T> extends Version<T> {
  /** The id of the version before, `''` for the first: a chain. */
  readonly after: string;
}

const FORMAT = 1;
/** The most bytes of a version. 10,000 tasks are 3.5 MB. */
export const MOST_VERSION_BYTES = 64 * 1024 * 1024;
const HEADER = /^\{"format":(\d{1,9}),("checksum":"([0-9a-f]{8})",\n)?/;

/**
 * Encodes a version for its file: JSON that a person can read, with one line for each field and each element of a list, so
 * that nesting cannot make a file long. The first line holds the format's version and a checksum over the other lines.
 *
 * @throws StateError if it would be too large to read.
 */
export function encodeVersion<T>({ version, after, at, by, content }: StoredVersion<T>): Buffer {
  const json = JSON.stringify;
  const origin = ` "version": ${json(version)},\n "after": ${json(after)},\n "at": ${json(at)},\n`;
  const text = `${origin} "by": ${json(by)},\n "content": ${contentText(content)}\n}\n`;
  const bytes = Buffer.from(text);
  refuseTooLarge(bytes);
  const sum = checksum(bytes);
  return Buffer.from(`{"format":${FORMAT},"checksum":"${sum}",\n${text}`);
}

/** @throws StateError. */
export function refuseTooLarge({ length }: Buffer): void {
  if (length <= MOST_VERSION_BYTES) return;
  const size = `${length} bytes, at most ${MOST_VERSION_BYTES}`;
  throw new StateError(`the list is too large: ${size}; nothing was changed`);
}

function contentText(content: unknown): string {
  if (!Array.isArray(content)) return JSON.stringify(content);
  return `[${content.map((element) => `\n  ${JSON.stringify(element)}`).join(',')}\n ]`;
}

/**
 * Reads what `encodeVersion` wrote. The checksum does not stop forgers, so everything but the content is examined; the
 * content is for others to judge.
 */
export function decodeVersion<T>(
  bytes: Buffer,
): StoredVersion<T> | { problem: string } | { newerFormat: string } {
  const text = bytes.toString();
  const header = HEADER.exec(text);
  if (header === null) return { problem: 'its first line is invalid' };
  const [{ length }, format, rest, sum] = header;
  if (Number(format) !== FORMAT) {
    const newerFormat = `has format ${format}, and this program reads format ${FORMAT} only: update it, or set TODO_STATE_DIR to another folder`;
    return { newerFormat };
  }
  if (rest === undefined || checksum(bytes, length) !== sum) {
    return { problem: 'its checksum does not match' };
  }
  const { version, after, at, by, content } = orElse<Partial<Record<string, unknown>>>(
    () => JSON.parse(`{${text.slice(length)}`),
    {},
  );
  const time = new Date(typeof at === 'string' ? at : Number.NaN);
  const isOurs =
    Number.isSafeInteger(version) &&
    typeof after === 'string' &&
    /^[a-z0-9]*$/.test(after) &&
    !Number.isNaN(time.getTime()) &&
    typeof by === 'string';
  if (!isOurs) return { problem: 'it has no version number' };
  return { version: version as number, after, at: time, by, content: content as T };
}

/** FNV-1a, which changes with any one byte. */
function checksum(bytes: Buffer, start = 0): string {
  let hash = 0x811c9dc5;
  // In a process that has just started, an iterator would take as long as the rest of a commit.
  for (let index = start; index < bytes.length; index++) {
    hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
