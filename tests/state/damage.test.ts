import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FilePlace } from '../../src/state/file-place.ts';
import { type FileSystem, nodeFileSystem } from '../../src/state/file-system.ts';
import { StateError } from '../../src/state/state-error.ts';
import { decodeVersion, encodeVersion } from '../../src/state/version-file.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { Random, runs, testSeed } from '../helpers/random.ts';

const NOW = new Date('2026-05-01T12:00:00.000Z');
const CONTENT = Array.from({ length: 10 }, (_, index) => ({
  content: `Task ${index}: “quoted”, 任务`,
  activeForm: `Doing task ${index}`,
  status: 'pending',
}));
const WHOLE = encodeVersion({ version: 1, after: '', at: NOW, by: 'main', content: CONTENT });

/** Ways in which files are damaged, beside a change of one byte. */
const DAMAGES: ((bytes: Buffer, random: Random) => Buffer)[] = [
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => {
    const start = random.below(bytes.length);
    return Buffer.from(bytes).fill(0, start, start + 1 + random.below(bytes.length - start));
  },
  (bytes, random) => Buffer.concat([bytes, bytes.subarray(random.below(bytes.length))]),
  (bytes, random) => Buffer.from(bytes.map(() => random.below(256))),
];

test('damaged files: an error that names the file, or the right list; never another', () => {
  const seed = testSeed();
  const random = new Random(seed);
  const folder = join(temporaryDirectory(), 'agent');
  new FilePlace({ folder }).commit(0, CONTENT, NOW);
  const before = listFiles(folder);
  let bytes = WHOLE;
  const writes: string[] = [];
  const damaged: FileSystem = {
    ...nodeFileSystem,
    read: () => bytes,
    open: (path) => {
      writes.push(path);
      throw new Error('nothing may be written');
    },
  };
  for (let run = 0; run < runs(10_000); run++) {
    bytes = random.pick(DAMAGES)(WHOLE, random);
    const context = `seed ${seed}, run ${run}`;
    // A place reads a version once, so each damage needs its own place.
    const place = new FilePlace<typeof CONTENT>({ folder, fs: damaged });
    try {
      expect(place.load()?.content, context).toEqual(CONTENT);
      expect(bytes.equals(WHOLE), context).toBe(true);
    } catch (error) {
      expect(error, context).toBeInstanceOf(StateError);
      expect((error as Error).message, context).toMatch(
        /agent\/1-[a-z0-9]{8}\.json (is damaged|has format)/,
      );
    }
  }
  expect(writes).toEqual([]);
  expect(listFiles(folder)).toEqual(before);
});

test('a whole file is read back as it was written, and every change of one byte is found', () => {
  const version = { version: 1, after: '', at: NOW, by: 'main', content: CONTENT };
  expect(decodeVersion(WHOLE)).toEqual(version);
  for (let place = 0; place < WHOLE.length; place++) {
    const changed = Buffer.from(WHOLE);
    changed[place] = (changed[place] ?? 0) ^ 0x20;
    expect(decodeVersion(changed), `byte ${place}`).toHaveProperty('problem');
  }
});

test.each([
  ['a path as the version before', { after: '../../other/1-aaaaaaaa' }],
  ['no time', { at: 'soon' }],
  ['no author', { by: 7 }],
  ['no number', { version: '1' }],
])('a file whose checksum fits, with %s, is damaged', (_, fields) => {
  const version = { version: 1, after: '', at: NOW, by: 'main', content: [], ...fields };
  expect(decodeVersion(encodeVersion(version as never))).toEqual({
    problem: 'it has no version number',
  });
});

test('a file is not much longer than its content, however deep that is', () => {
  let content: object = {};
  for (let depth = 0; depth < 2000; depth++) content = { a: content };
  const { length } = encodeVersion({ version: 1, after: '', at: NOW, by: 'main', content });
  expect(length).toBeLessThan(JSON.stringify(content).length + 300);
});
