import { expect, test } from 'vitest';
import { decodeVersion, encodeVersion } from '../../src/lists/version-file.ts';
import { Random, runs, testSeed } from '../helpers/random.ts';

const NOW = new Date('2026-05-01T12:00:00.000Z');
const CONTENT = Array.from({ length: 10 }, (_, index) => ({
  content: `Task ${index}: “quoted”, 任务`,
  activeForm: `Doing task ${index}`,
  status: 'pending',
}));
const VERSION = { version: 1, after: '', at: NOW, by: 'main', content: CONTENT };
const WHOLE = encodeVersion(VERSION);

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

test('a whole file is read back as it was written, and any damage is found', () => {
  expect(decodeVersion(WHOLE)).toEqual(VERSION);
  for (let place = 0; place < WHOLE.length; place++) {
    const changed = Buffer.from(WHOLE);
    changed[place] = (changed[place] ?? 0) ^ 0x20;
    expect(decodeVersion(changed), `byte ${place}`).toHaveProperty('problem');
  }
  const seed = testSeed();
  const random = new Random(seed);
  for (let run = 0; run < runs(10_000); run++) {
    const damaged = random.pick(DAMAGES)(WHOLE, random);
    if (damaged.equals(WHOLE)) continue;
    expect(decodeVersion(damaged), `seed ${seed}, run ${run}`).toHaveProperty('problem');
  }
});

test.each([
  ['a path as the version before', { after: '../../other/1-aaaaaaaa' }],
  ['no time', { at: 'soon' }],
  ['no author', { by: 7 }],
  ['no number', { version: '1' }],
])('a file whose checksum fits, with %s, is damaged', (_, fields) => {
  expect(decodeVersion(encodeVersion({ ...VERSION, ...fields } as never))).toEqual({
    problem: 'it has no version number',
  });
});

test('a file is not much longer than its content, however deep that is', () => {
  let content: object = {};
  for (let depth = 0; depth < 2000; depth++) content = { a: content };
  const { length } = encodeVersion({ ...VERSION, content });
  expect(length).toBeLessThan(JSON.stringify(content).length + 300);
});
