import type { Readable } from 'node:stream';

/** The lines of a UTF-8 stream, ended by `\n` alone: JSON text may hold the other line separators of Unicode. */
export async function* splitLines(input: Readable): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...pending, chunk.subarray(start, end)]).toString('utf8');
      pending = [];
      start = end + 1;
    }
    pending.push(chunk.subarray(start));
  }
  const last = Buffer.concat(pending).toString('utf8');
  if (last !== '') {
    yield last;
  }
}
