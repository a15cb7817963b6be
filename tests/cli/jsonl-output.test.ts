import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { startJsonl } from '../helpers/agent-shell.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { hasProc, processesWith, usageOf } from '../helpers/processes.ts';

// A host under load. `npm run test:machines` runs the long form.

const IS_LONG = process.env.TEST_MACHINES === '1';
const REQUESTS = IS_LONG ? 10_000 : 200;
const IN_FLIGHT = 50;
const STREAMED_BYTES = IS_LONG ? 100_000_000 : 20_000_000;
const PAUSE_MS = IS_LONG ? 5000 : 500;
const MiB = 1024 * 1024;
/** Room for garbage that is not yet collected. */
const MOST_GROWTH = 64 * MiB;

const MINUTES = 60_000;

function memoryOf({ pid }: ChildProcess): number {
  if (!hasProc) return 0;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

const CANCELLED = { exitCode: 130, request: { command: 'sleep 1000' } };
const DENIED = { exitCode: 126, request: { command: 'touch file' } };
const TIMED_OUT = { exitCode: 124, request: { command: 'sleep 1000', timeoutMs: 50 } };
const RUN = { exitCode: 0, request: {} };
const KINDS: Record<number, typeof RUN> = { 17: CANCELLED, 42: DENIED, 77: TIMED_OUT };

const kindOf = (id: number) => KINDS[id % 100] ?? RUN;

const requestOf = (id: number) => ({
  ...{ id, command: id % 2 === 0 ? 'TodoRead' : `echo ${id}` },
  ...kindOf(id).request,
});

test(
  `of ${REQUESTS} requests, of which 1% are cancelled, 1% denied and 1% timed out, each is answered once, and nothing stays`,
  async () => {
    const tmp = temporaryDirectory();
    const child = startJsonl({ env: { TMPDIR: tmp } });
    const say = (message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`);
    const answers = new Map<number, number[]>();
    const wrong: unknown[] = [];
    const memory: number[] = [];
    let sent = 0;
    const sendNext = () => {
      if (sent < REQUESTS) say(requestOf(++sent));
      else if (answers.size === REQUESTS) child.stdin?.end();
    };
    say({ approve: true });
    while (sent < IN_FLIGHT) sendNext();
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const message = JSON.parse(line);
      const { id, event, exitCode } = message;
      if (event === 'approve') {
        const kind = kindOf(id);
        // Half of the cancels come while the question is open, half while the command runs.
        if (kind === CANCELLED && id % 200 > 100) say({ cancel: id });
        else say({ id, approve: kind === DENIED ? 'deny' : 'allow' });
        if (kind === CANCELLED && id % 200 < 100) setTimeout(() => say({ cancel: id }), 10);
      } else if (typeof id === 'number') {
        answers.set(id, [...(answers.get(id) ?? []), exitCode]);
        if (answers.size % (REQUESTS / 10) === 0) memory.push(memoryOf(child));
        sendNext();
      } else wrong.push(message);
    }
    if (child.exitCode === null) await once(child, 'exit');
    expect(wrong).toEqual([]);
    const expected = Array.from({ length: REQUESTS }, (_, at) => [kindOf(at + 1).exitCode]);
    expect([...answers].sort(([a], [b]) => a - b).map(([, codes]) => codes)).toEqual(expected);
    expect(child.exitCode).toBe(0);
    const [, early = 0] = memory;
    expect((memory.at(-1) ?? 0) - early).toBeLessThan(MOST_GROWTH);
    if (hasProc) expect(processesWith(tmp)).toEqual([]);
  },
  20 * MINUTES,
);

test.runIf(hasProc)(
  `${STREAMED_BYTES} bytes streamed to a reader that stops for ${PAUSE_MS} ms grow no memory, and the command waits`,
  async () => {
    const child = startJsonl();
    child.stdin?.write('{"id":0,"command":"echo warm","stream":true}\n');
    const command = `head -c ${STREAMED_BYTES} /dev/zero | tr '\\0' x`;
    const output = child.stdout as NodeJS.ReadableStream & { pause(): void; resume(): void };
    let length = 0;
    let result: { stdout: string } | undefined;
    let hasPaused = false;
    let before = 0;
    let [most, lengthAtPause, written] = [0, 0, 0];
    const lines = createInterface({ input: output });
    const ended = once(lines, 'close');
    lines.on('line', (line) => {
      const message = JSON.parse(line);
      if (message.event === 'stdout') length += message.chunk.length;
      else if (message.id === 1) result = message;
      else {
        before = memoryOf(child);
        child.stdin?.end(`${JSON.stringify({ id: 1, command, stream: true })}\n`);
      }
      if (hasPaused || length < STREAMED_BYTES / 4) return;
      hasPaused = true;
      lines.pause();
      const written0 = usageOf(child.pid ?? 0).writtenBytes;
      setTimeout(() => {
        most = memoryOf(child);
        lengthAtPause = length;
        written = usageOf(child.pid ?? 0).writtenBytes - written0;
        lines.resume();
      }, PAUSE_MS);
    });
    await ended;
    expect(length - 'warm\n'.length).toBe(STREAMED_BYTES);
    expect(lengthAtPause).toBeLessThan(STREAMED_BYTES);
    // No more than pipes and buffers hold.
    expect(written).toBeLessThan(4 * MiB);
    expect(most - before).toBeLessThan(MOST_GROWTH);
    expect(result?.stdout.length).toBeLessThan(1.1 * MiB);
  },
  20 * MINUTES,
);
