import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import { nodeFileSystem } from '../../src/lists/file-system.ts';
import { temporaryDirectory } from '../helpers/files.ts';

// Versions far behind the head are put away, in folders of a hundred.

const AT = new Date('2026-05-01T12:00:00.000Z');

function listOf(versions: number, history: number) {
  const folder = join(temporaryDirectory(), 'main');
  const open = (kept = history) => new FilePlace<string[]>({ folder, history: kept });
  const write = (from: number, count: number, place = open()) => {
    for (let base = from; base < from + count; base++) place.commit(base, [`${base + 1}`], AT);
  };
  write(0, versions);
  const kept = () => [...open().history()].map(({ version, content }) => `${version}: ${content}`);
  return { folder, open, write, kept };
}

const upTo = (newest: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${newest - index}: ${newest - index}`);

test('as many are kept as are to be, and the folder that each commit lists has few', () => {
  const { folder, write, kept } = listOf(520, 350);
  for (let newest = 520; newest < 525; newest++) {
    expect(kept()).toEqual(upTo(newest, 350));
    write(newest, 1);
  }
  expect(readdirSync(folder).length).toBeLessThan(310);
});

test('if fewer are to be kept than before, the others go', () => {
  const { folder, open, write, kept } = listOf(310, 310);
  write(310, 101, open(50));
  expect(kept()).toEqual(upTo(411, 50));
  expect(existsSync(join(folder, 'older~'))).toBe(false);
});

test('a list whose files were all in one folder keeps them', () => {
  const { folder, write, kept } = listOf(100, 1000);
  writeFileSync(join(folder, 'older~'), 'in the way');
  write(100, 230);
  expect(kept()).toEqual(upTo(330, 330));
  rmSync(join(folder, 'older~'));
  write(330, 1);
  expect(kept()).toEqual(upTo(331, 331));
  expect(readdirSync(folder).length).toBeLessThan(310);
});

test('where all in the folder itself are damaged, the newest that was put away counts', () => {
  const { folder, open } = listOf(305, 305);
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.json')) writeFileSync(join(folder, name), 'junk');
  }
  const newest = open().load();
  expect(newest).toMatchObject({ version: 305, content: ['100'] });
  expect(newest?.damage).toMatch(/305-.* is damaged: .*; version 100 stands in for it/);
  expect(open().commit(305, ['next'], AT)).toMatchObject({ version: 306 });
});

test('where a reading shows two heads, as during a rename, the higher one counts', () => {
  const { folder } = listOf(2, 10);
  const [first] = readdirSync(folder).filter((name) => name.startsWith('1-'));
  const stale = `head-${first?.replace('.json', '')}`;
  const orders: ((names: string[]) => string[])[] = [
    (names) => [stale, ...names],
    (names) => [...names, stale],
  ];
  const versions = orders.map((inOrder) => {
    const fs = { ...nodeFileSystem, readdir: (path: string) => inOrder(readdirSync(path)) };
    return new FilePlace({ folder, fs }).load()?.version;
  });
  expect(versions).toEqual([2, 2]);
});
