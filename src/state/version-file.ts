import type { Version } from './place.ts';

/** A version as it is kept in a file. */
export interface StoredVersion<T> extends Version<T> {
  /** The id of the version before it, `''` for the first: so the versions form a chain. */
  readonly after: string;
}

const FORMAT = 1;
const HEADER = /^\{"format":(\d{1,9}),("checksum":"([0-9a-f]{8})",\n)?/;
const LONGEST_HEADER = 64;

/**
 * A version as the bytes of its file: JSON that a person can read. The first line holds the version of the format and a
 * checksum over all the others, so that a damaged file is never taken for another list.
 */
export function encodeVersion<T>({ version, after, at, by, content }: StoredVersion<T>): Buffer {
  const body = JSON.stringify({ version, after, at, by, content }, null, 1).slice('{\n'.length);
  const bytes = Buffer.from(`${body}\n`);
  return Buffer.concat([
    Buffer.from(`{"format":${FORMAT},"checksum":"${checksum(bytes)}",\n`),
    bytes,
  ]);
}

/** Reads what `encodeVersion` wrote. The content is not looked into: the checksum vouches for it. */
export function decodeVersion<T>(bytes: Buffer): StoredVersion<T> | { problem: string } {
  const header = HEADER.exec(bytes.toString('latin1', 0, LONGEST_HEADER));
  if (header === null) return { problem: 'is damaged: it does not begin as it should' };
  const [{ length }, format, rest, sum] = header;
  if (Number(format) !== FORMAT) {
    return { problem: `has format ${format}, and this program reads format ${FORMAT} only` };
  }
  const body = bytes.subarray(length);
  if (rest === undefined || checksum(body) !== sum) {
    return { problem: 'is damaged: its checksum does not match' };
  }
  const value = JSON.parse(`{${body.toString('utf8')}`);
  return { ...value, at: new Date(value.at) };
}

/** FNV-1a, which changes with any one byte. It need not withstand an attacker: who can write the file can do anything. */
function checksum(bytes: Buffer): string {
  let hash = 0x811c9dc5;
  // In a process that has just started, an iterator would take as long as all else that a commit does.
  for (let index = 0; index < bytes.length; index++) {
    hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
