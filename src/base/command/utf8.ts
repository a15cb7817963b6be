import { isUtf8 } from 'node:buffer';
import type { CommandResult } from './agent-command.ts';
import { refusal } from './replies.ts';

/** Bytes that are not valid UTF-8. The message gives the place of the first wrong byte. */
export class InvalidUtf8 extends Error {}

/**
 * Decodes UTF-8. Throws InvalidUtf8, where Node would put U+FFFD, which would then be stored.
 *
 * @param limit more bytes than this are not examined, since the caller refuses them.
 */
export function textOfBytes(bytes: Buffer, limit = Number.POSITIVE_INFINITY): string {
  const text = bytes.toString('utf8');
  if (bytes.length > limit || isUtf8(bytes)) return text;
  // Up to the first wrong byte, text and bytes agree; a U+FFFD may also be in the bytes themselves.
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

export function refuseInvalidUtf8({ message }: InvalidUtf8): CommandResult {
  return refusal('Invalid UTF-8', { lines: [message] });
}
