import type { ReadStream } from 'node:tty';

// One byte more than a list may have, so that a longer one is seen to be too long without being read.
const LIMIT = 1024 * 1024 + 1;

/** Reads standard input to its end, or to just above 1 MiB. A terminal is not read: nobody means to type JSON. */
export async function readStdin(stdin: ReadStream): Promise<string> {
  if (stdin.isTTY) {
    return '';
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= LIMIT) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, LIMIT);
}
