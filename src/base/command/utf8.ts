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
  const replacement = Buffer.from('\ufffd');
  let [line, column, offset] = [1, 1, 0];
  for (const character of text) {
    if (character === '\ufffd' && !bytes.subarray(offset, offset + 3).equals(replacement)) break;
    offset += Buffer.byteLength(character);
    column++;
    if (character === '\n') [line, column] = [line + 1, 1];
  }
  const byte = bytes[offset]?.toString(16).padStart(2, '0');
  throw new InvalidUtf8(`line ${line}, column ${column}: the byte 0x${byte} is not UTF-8`);
}

export function refuseInvalidUtf8({ message }: InvalidUtf8): CommandResult {
  return refusal('Invalid UTF-8', { lines: [message] });
}
