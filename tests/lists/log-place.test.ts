import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import { type LogEntry, LogPlace } from '../../src/lists/log-place.ts';
import { temporaryDirectory } from '../helpers/files.ts';

// A log with a damaged change: nothing builds upon it, up to the next whole entry.

/** A list that grows by a number each version, so large that one in 50 versions is stored whole. */
async function logOf(versions: number) {
  const folder = join(temporaryDirectory(), 'log');
  const steps = {
    empty: [] as number[],
    between: (before: number[], after: number[]) => after.slice(before.length),
    apply: (before: number[], later: readonly number[][]) => before.concat(...later),
    size: () => Number.POSITIVE_INFINITY,
  };
  const open = () => {
    const entries = new FilePlace<LogEntry<number[]>>({ folder, history: 150 });
    return new LogPlace(entries, steps);
  };
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
  for (let base = 0; base < versions; base++) await open().commit(base, upTo(base + 1), new Date());
  const damage = (version: number) => {
    const file = readdirSync(folder).find((name) => name.startsWith(`${version}-`)) ?? '';
    writeFileSync(join(folder, file), 'junk');
  };
  return { open, upTo, damage };
}

test.each([
  ['the newest', 6, 6],
  ['one in the middle', 6, 4],
  ['the whole that later ones are built upon', 54, 51],
])('%s is damaged: the version before it stands in for the newest', async (_, newest, damaged) => {
  const { open, upTo, damage } = await logOf(newest);
  damage(damaged);
  const named = new RegExp(`/${damaged}-.* is damaged: .*; version ${damaged - 1} stands in`);
  expect(await open().load()).toMatchObject({
    version: newest,
    content: upTo(damaged - 1),
    damage: expect.stringMatching(named),
  });
});

test('a process that knows the list from before the damage has the same of it', async () => {
  const { open, upTo, damage } = await logOf(5);
  const place = open();
  await place.load();
  for (const base of [5, 6]) await open().commit(base, upTo(base + 1), new Date());
  damage(6);
  expect(await place.load()).toMatchObject({
    version: 7,
    content: upTo(5),
    damage: expect.stringContaining('version 5 stands in'),
  });
});

test('with two damaged, nothing builds upon either of them', async () => {
  const { open, upTo, damage } = await logOf(6);
  damage(6);
  damage(4);
  expect(await open().load()).toMatchObject({ version: 6, content: upTo(3) });
});

test('the next version is stored whole, and only versions built upon the damage are lost', async () => {
  const { open, upTo, damage } = await logOf(6);
  damage(4);
  await open().commit(6, upTo(3), new Date());
  const newest = await open().load();
  expect(newest).toMatchObject({ version: 7, content: upTo(3) });
  expect(newest?.damage).toBeUndefined();
  const kept = [...(await open().history())].map(
    ({ version, content, damage }) =>
      `${version}: ${content.length} ${damage ? 'damage' : 'whole'}`,
  );
  expect(kept).toEqual(['7: 3 whole', '3: 3 damage', '2: 2 whole', '1: 1 whole']);
});
