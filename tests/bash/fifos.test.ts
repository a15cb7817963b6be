import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FifoReader, makeFifos } from '../../src/bash/fifos.ts';
import { ENV } from '../helpers/bash.ts';
import { temporaryDirectory } from '../helpers/files.ts';

/** The capacity of a pipe. */
const PIPE_CAPACITY = 1024 * 1024;

test('to catch up with a FIFO ends, although a job in the background never stops writing', () => {
  const path = join(temporaryDirectory(), 'fifo');
  makeFifos([path], ENV);
  let heard = 0;
  const reader = new FifoReader(path, (chunk) => {
    heard += chunk.length;
    if (heard > 2 * PIPE_CAPACITY) throw new Error('it goes on for ever');
    writeSync(job, chunk);
  });
  onTestFinished(() => reader.close());
  const job = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(job));
  writeSync(job, Buffer.alloc(32 * 1024));
  reader.drain();
  expect(heard).toBe(PIPE_CAPACITY);
});
