import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { rounds } from '../helpers/random.ts';
import { describeEachPlace } from './each-place.ts';

const NOON = new Date('2026-05-01T12:00:00.000Z');
const ONE = new Date('2026-05-01T13:00:00.500Z');

describeEachPlace((create) => {
  const placeThatKeeps = (history: number) => create(history)();

  test('a place holds nothing, then the last commit, with its number, time and author', async () => {
    const place = placeThatKeeps(50);
    expect(await place.load()).toBeUndefined();
    expect([...(await place.history())]).toEqual([]);
    expect(await place.commit(0, ['a'], NOON)).toMatchObject({ version: 1, content: ['a'] });
    expect(await place.commit(1, ['b'], ONE)).toMatchObject({ version: 2, content: ['b'] });
    expect(await place.load()).toMatchObject({ version: 2, at: ONE, by: 'ann', content: ['b'] });
  });

  test.each([3, 1])('it keeps the given number of versions, the newest first: %d', async (kept) => {
    const place = placeThatKeeps(kept);
    for (let base = 0; base < 7; base++) await place.commit(base, [`${base + 1}`], NOON);
    const versions = [7, 6, 5].slice(0, kept);
    expect([...(await place.history())]).toMatchObject(
      versions.map((version) => ({ version, content: [`${version}`] })),
    );
  });

  test('it gives the range of its history that is asked for, or more', async () => {
    const place = placeThatKeeps(10);
    for (let base = 0; base < 6; base++) await place.commit(base, [`${base + 1}`], NOON);
    const versions = async (range: { newest?: number; from?: number }) =>
      [...(await place.history(range))].map(({ version }) => version);
    expect((await versions({ newest: 2 })).slice(0, 2)).toEqual([6, 5]);
    expect((await versions({ from: 4 })).slice(0, 3)).toEqual([6, 5, 4]);
    expect(await versions({ from: 1 })).toEqual([6, 5, 4, 3, 2, 1]);
  });

  test('it changes nothing for a commit against another version than the newest, kept or not', async () => {
    const place = placeThatKeeps(2);
    for (let base = 0; base < 6; base++) await place.commit(base, [`${base + 1}`], NOON);
    for (const base of [0, 1, 2, 3, 4, 5, 7, -1, Number.NaN])
      expect(await place.commit(base, ['late'], ONE)).toBeUndefined();
    expect(await place.load()).toMatchObject({ version: 6, content: ['6'] });
  });

  test('it gives back any text as it was, however long', async () => {
    const place = placeThatKeeps(2);
    const content = ['\u0000 "\\\' $1 ✓ 漢字 👩‍👩‍👧 \u202e', 'x'.repeat(3e5), '', 'ä'.repeat(1000)];
    await place.commit(0, content, NOON);
    expect((await place.load())?.content).toEqual(content);
  });

  test('it calls its watchers before a commit of its own returns, and not once they have ended', async () => {
    const place = placeThatKeeps(50);
    const watcher = vi.fn();
    const end = place.watch(watcher);
    expect(watcher).not.toHaveBeenCalled();
    await place.commit(0, ['a'], NOON);
    expect(watcher).toHaveBeenCalledTimes(1);
    await place.commit(0, ['refused'], NOON);
    expect(watcher).toHaveBeenCalledTimes(1);
    end();
    await place.commit(1, ['b'], NOON);
    expect(watcher).toHaveBeenCalledTimes(1);
  });

  test("it tells its watchers about others' commits", async () => {
    const open = create(50);
    const [place, other] = [open(), open()];
    await other.commit(0, ['a'], NOON);
    const seen: (number | undefined)[] = [];
    await place.load();
    onTestFinished(place.watch(async () => void seen.push((await place.load())?.version)));
    for (let base = 1; base < 5; base++) {
      await other.commit(base, ['b'], NOON);
      await eventually(`version ${base + 1} is heard of`, () => seen.at(-1) === base + 1, 30_000);
    }
    expect(seen.at(-1)).toBe(5);
  });

  test('of ten changes that start from one version has one winner, each time', async () => {
    const open = create(50);
    const places = Array.from({ length: 10 }, open);
    for (let base = 0; base < rounds(60); base++) {
      const results = await Promise.all(
        places.map((place, writer) => place.commit(base, [`${base} by ${writer}`], NOON)),
      );
      const winners = results.filter((result) => result !== undefined);
      expect(winners).toHaveLength(1);
      expect((await places[0]?.load())?.content).toEqual(winners[0]?.content);
    }
  });
});
