import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FifoReader, makeFifos } from '../../../src/shell/bash/fifos.ts';
import { OutputCapture } from '../../../src/shell/bash/session-output.ts';
import { ENV } from '../../helpers/bash.ts';
import { eventually } from '../../helpers/eventually.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { rounds } from '../../helpers/random.ts';
import { NEXT, printed, sharedSession, startSession } from '../../helpers/session.ts';

const MIB = 1024 * 1024;
const shared = sharedSession();
/** In MiB. Only the longer one would not fit into the memory that a line may take. */
const FLOOD = process.env.TEST_RUNS ? 1000 : 136;
function recordedSession() {
  const heard = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const session = startSession({
    onStdout: (chunk) => heard.stdout.push(Buffer.from(chunk)),
    onStderr: (chunk) => heard.stderr.push(Buffer.from(chunk)),
  });
  return { session, bytes: (stream: 'stdout' | 'stderr') => Buffer.concat(heard[stream]) };
}

test('all output of a command is in its result, and in no other', async () => {
  const session = shared();
  for (let index = 0; index < rounds(200); index += 1) {
    const line = `echo out ${index}; echo err ${index} >&2; bash -c 'echo child ${index} >&2'`;
    expect(await session.run(line)).toEqual(
      printed(`out ${index}\n`, `err ${index}\nchild ${index}\n`),
    );
  }
});

test('output of every byte comes byte for byte', async () => {
  const { session, bytes } = recordedSession();
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const escapes = [...all].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  const { stdout } = await session.run(`printf '${escapes}'; printf '${escapes}' >&2`);
  expect(bytes('stdout')).toEqual(all);
  expect(bytes('stderr')).toEqual(all);
  // NUL stays NUL, and invalid UTF-8 becomes U+FFFD.
  expect(stdout).toBe(all.toString('utf8'));
});

test.each([
  ['echo x | tee /dev/stderr', 'x\n', 'x\n'],
  ['echo x > /dev/stdout; echo x | tee /dev/stdout', 'x\nx\nx\n', ''],
  ['echo x >> /dev/fd/1; echo y >> /proc/self/fd/2', 'x\n', 'y\n'],
  ['bash -c "echo x > /dev/stderr"', '', 'x\n'],
  ['exec 3>&1; echo x > /dev/fd/3', 'x\n', ''],
])('outputs can be opened by their path: %s', async (line, stdout, stderr) => {
  expect(await shared().run(line)).toEqual({ stdout, stderr, exitCode: 0 });
});

test('a listener of the session that fails ends neither the line nor the program', async () => {
  const warnings: string[] = [];
  const warned = ({ message }: Error) => warnings.push(message);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const onStdout = () => {
    throw new Error('not heard');
  };
  const session = startSession({ onStdout, onStderr: async () => onStdout() });
  expect(await session.run('echo out')).toEqual(printed('out\n'));
  expect(await session.run('echo err >&2')).toEqual(printed('', 'err\n'));
  await eventually('both are said', () => warnings.length === 2);
});

describe('background jobs', () => {
  test('output between two lines comes with the next one', async () => {
    const session = shared();
    const first = await session.run(
      '(until [ -e go ]; do sleep 0.01; done; echo late; touch gone) &',
    );
    expect(first).toEqual(printed());
    // A quick job may write before this line has ended.
    const seen = [(await session.run('touch go')).stdout];
    await eventually('the job is done', async () => {
      const { stdout } = await session.run('[ -e gone ] && echo done');
      seen.push(stdout);
      return stdout.includes('done');
    });
    expect(seen.join('')).toBe('late\ndone\n');
  });

  test('one that keeps writing holds up no line', async () => {
    const session = shared();
    await session.run(
      '(i=0; while :; do i=$((i+1)); echo "job $i"; echo "job err $i" >&2; done) & job=$!',
    );
    for (let index = 0; index < 20; index += 1) {
      const { stdout, exitCode } = await session.run(`echo "line ${index}"; (exit 4)`);
      expect(stdout.match(/^line \d+$/gm)).toEqual([`line ${index}`]);
      expect(exitCode).toBe(4);
    }
    await session.run('kill $job; wait $job');
    expect(await session.run('echo next')).toEqual(NEXT);
  });
});

describe('floods', () => {
  test('a result keeps the first 64 MiB of each stream, listeners get all, and memory stays bounded', async () => {
    let heard = 0;
    const session = startSession({
      onStdout: (chunk) => {
        heard += chunk.length;
      },
    });
    await session.run(':');
    const before = process.memoryUsage().rss;
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 20);
    const flood = FLOOD - 70;
    const line = `head -c ${flood}M /dev/zero; head -c 70M /dev/zero >&2; (exit 3)`;
    const { stdout, stderr, exitCode } = await session.run(line);
    clearInterval(watch);
    const note = `\n[agent-shell: ${(flood - 64) * MIB} more bytes left out]\n`;
    expect(stdout.length).toBe(64 * MIB + note.length);
    expect(stdout.slice(64 * MIB)).toBe(note);
    expect(stdout.startsWith('\0'.repeat(64 * MIB))).toBe(true);
    expect(stderr.endsWith(`\n[agent-shell: ${6 * MIB} more bytes left out]\n`)).toBe(true);
    expect([heard, exitCode]).toEqual([flood * MIB, 3]);
    expect((peak - before) / MIB).toBeLessThan(500);
    expect(await session.run('echo next')).toEqual(NEXT);
  });

  test('the cut is between characters', () => {
    const bytes = Buffer.from('aé漢😀b');
    for (let limit = 0; limit < bytes.length; limit += 1) {
      const capture = new OutputCapture(limit);
      for (const byte of bytes) capture.add(Buffer.from([byte]));
      const [kept] = capture.take().split('\n[agent-shell: ');
      const whole = new TextDecoder().decode(bytes.subarray(0, limit), { stream: true });
      expect([limit, kept]).toEqual([limit, whole]);
      expect(capture.take()).toBe('');
    }
  });

  test('with both ends kept, cuts are between characters too, and the missing bytes are counted', () => {
    const text = 'éé漢😀é😀漢é';
    const bytes = Buffer.from(text);
    for (let limit = 1; limit < bytes.length; limit += 1) {
      const capture = new OutputCapture();
      capture.keepEnds(limit);
      for (const byte of bytes) capture.add(Buffer.from([byte]));
      const [, head = '', count, tail = ''] =
        /^(.*)\n\[agent-shell: (\d+) (?:more )?bytes? left out\]\n(.*)$/.exec(capture.take()) ?? [];
      expect([limit, text.startsWith(head), text.endsWith(tail)]).toEqual([limit, true, true]);
      const [first, last] = [Buffer.byteLength(head), Buffer.byteLength(tail)];
      expect(first + last).toBeLessThanOrEqual(limit);
      expect(Math.abs(first - last)).toBeLessThan(Buffer.byteLength('😀') + 1);
      expect(first + last + Number(count)).toBe(bytes.length);
    }
  });
});

test('to catch up with a FIFO ends, although a job in the background never stops writing', () => {
  const path = join(temporaryDirectory(), 'fifo');
  makeFifos([path], ENV);
  let heard = 0;
  const reader = new FifoReader(path, (chunk) => {
    heard += chunk.length;
    // What a pipe holds.
    if (heard > 2 * MIB) throw new Error('it goes on for ever');
    writeSync(job, chunk);
  });
  onTestFinished(() => reader.close());
  const job = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(job));
  writeSync(job, Buffer.alloc(64 * 1024));
  reader.drain();
  expect(heard).toBe(MIB);
});
