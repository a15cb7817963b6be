import { isUtf8 } from 'node:buffer';
import type { CommandResult } from './agent-command.ts';
import { refusal } from './replies.ts';

/** Bytes that are not valid UTF-8. The message gives the place of the first wrong byte. */
export class InvalidUtf8 extends Error {}

/**
 * The text that the bytes are in UTF-8. Node's own decoder puts U+FFFD instead of what is not UTF-8, which would
 * then be stored as something that nobody wrote.
 *
 * @param limit of more bytes than this, which the caller refuses anyway, none is judged.
 * @throws InvalidUtf8
 */
export function textOfBytes(bytes: Buffer, limit = Number.POSITIVE_INFINITY): string {
  const text = bytes.toString('utf8');
  if (bytes.length > limit || isUtf8(bytes)) return text;
  // All before the first wrong byte is as the bytes say, so the text up to there is as long as they are.
  let index = text.indexOf('\ufffd');
  let offset = Buffer.byteLength(text.slice(0, index));
  const replacement = Buffer.from('\ufffd');
  while (bytes.subarray(offset, offset + replacement.length).equals(replacement)) {
    const next = text.indexOf('\ufffd', index + 1);
    offset += Buffer.byteLength(text.slice(index, next));
    index = next;
  }
  const lines = text.slice(0, index).split('\n');
  const column = [...(lines.at(-1) ?? '')].length + 1;
  const byte = bytes[offset]?.toString(16).padStart(2, '0');
  throw new InvalidUtf8(`line ${lines.length}, column ${column}: the byte 0x${byte} is not UTF-8`);
}

/** The result of a call whose arguments or standard input are not UTF-8. */
export function refuseInvalidUtf8({ message }: InvalidUtf8): CommandResult {
  return refusal('Invalid UTF-8', { lines: [message] });
}
