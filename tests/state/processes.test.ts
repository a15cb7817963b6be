import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FilePlace } from '../../src/state/file-place.ts';
import { bundle } from '../helpers/bundle.ts';
import { cleanEnvironment, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { Random, runs, testSeed } from '../helpers/random.ts';

const HISTORY = 50;
const KILLED_WRITERS = runs(20);

interface Acknowledged {
  version: number;
  content: string;
}

/** A process and its output; a line cut by a kill does not count. */
function startWriter(script: string, folder: string, name: string, count: number) {
  const argv = [script, folder, name, String(count)];
  const env = cleanEnvironment();
  const { child, ended, lines } = startProgram(process.execPath, argv, { cwd: '/', env });
  const acknowledged = ended.then(({ stderr }): Acknowledged[] => {
    expect(stderr).toBe('');
    return lines().map((line) => JSON.parse(line));
  });
  return { child, acknowledged };
}

/** The versions in a folder are without a gap, hold all that was acknowledged, and nothing else. */
function expectHistory(folder: string, acknowledged: readonly Acknowledged[]): number {
  const history = [...new FilePlace<string>({ folder }).history()];
  const newest = history[0]?.version ?? 0;
  expect(history.map(({ version }) => version)).toEqual(
    Array.from({ length: Math.min(newest, HISTORY) }, (_, index) => newest - index),
  );
  const contents = new Map(history.map(({ version, content }) => [version, content]));
  expect(new Set(acknowledged.map(({ version }) => version)).size).toBe(acknowledged.length);
  for (const { version, content } of acknowledged) {
    expect(version).toBeLessThanOrEqual(newest);
    if (version > newest - HISTORY) expect(contents.get(version)).toBe(content);
  }
  const files = readdirSync(folder);
  expect(files.filter((file) => file.startsWith('head-'))).toHaveLength(1);
  expect(files).toHaveLength(history.length + 1);
  return newest;
}

test('processes killed at random moments lose no acknowledged change, and block no other', async () => {
  const script = bundle(join(import.meta.dirname, 'writer.ts'));
  const folder = join(temporaryDirectory(), 'session', 'agent');
  const random = new Random(testSeed());
  let started = 0;
  /** A writer is killed a few milliseconds after it begins, and the next one comes. */
  const writeAndBeKilled = async (): Promise<Acknowledged[]> => {
    const acknowledged: Acknowledged[] = [];
    while (started < KILLED_WRITERS) {
      const writer = startWriter(script, folder, `writer-${started++}`, 1_000_000);
      writer.child.stdout?.once('data', () => {
        setTimeout(() => writer.child.kill('SIGKILL'), random.next() * 15);
      });
      acknowledged.push(...(await writer.acknowledged));
    }
    return acknowledged;
  };
  const acknowledged = (await Promise.all([1, 2, 3, 4].map(writeAndBeKilled))).flat();
  const place = new FilePlace<string>({ folder });
  const newest = place.load()?.version ?? 0;
  expect(place.commit(newest, 'the last one', new Date())?.version).toBe(newest + 1);
  expectHistory(folder, acknowledged);
  expect(acknowledged.length).toBeGreaterThan(KILLED_WRITERS);
});
