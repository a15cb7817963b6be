import { fstatSync, readSync, statSync } from 'node:fs';
import { codeOf, untilReady } from './files.ts';

// process.stdin and process.stdout are not used here: loading them takes nearly as long as the rest of a short command.

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads standard input to its end, or to just above `limit` bytes. A terminal is not read: nobody types JSON there.
 *
 * @param isEnd called with each piece; true if it completes the input, so the writer need not close the pipe.
 */
export function readStandardInput(
  limit: number,
  isEnd: (piece: Uint8Array) => boolean = () => false,
): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    if (isTerminal(0)) return Buffer.alloc(0);
    while (length <= limit) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const bytes = untilReady(() => readSync(0, chunk));
      if (bytes === 0) break;
      const piece = chunk.subarray(0, bytes);
      chunks.push(piece);
      length += bytes;
      if (isEnd(piece)) break;
    }
  } catch (error) {
    // Node opens /dev/null if standard input is closed; some sandboxes give a broken one.
    if (codeOf(error) !== 'EOF' && codeOf(error) !== 'EBADF') throw error;
  }
  return Buffer.concat(chunks);
}

export function isTerminal(descriptor: number): boolean {
  const stat = fstatSync(descriptor);
  if (!stat.isCharacterDevice()) return false;
  // /dev/null is a character device too, and often standard input.
  if (stat.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev) return false;
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}
