import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Document } from '../../src/lists/document.ts';
import { FilePlace } from '../../src/lists/file-place.ts';
import { MemoryPlace, type SharedPlace, type Version } from '../../src/lists/place.ts';
import { eventually } from '../helpers/eventually.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { rounds } from '../helpers/random.ts';
import { describeOn, useServers } from '../helpers/servers.ts';

const NOON = new Date('2026-05-01T12:00:00.000Z');
const ONE = new Date('2026-05-01T13:00:00.500Z');

const servers = useServers();

function documentOn(place: SharedPlace<string[]>) {
  const of = (version: Version<string[]>) => version;
  const view = { empty: { version: 0, at: NOON, by: '', content: [] }, of };
  return new Document<string[], Version<string[]>>(place, view, () => ONE);
}

let lists = 0;
/** Opens places on one list, which see each other's commits. */
type Create = (history: number) => () => SharedPlace<string[]>;

describe('in memory', () =>
  behavesAsPlace((history) => {
    const place = new MemoryPlace<string[]>({ author: 'ann', history });
    return () => place;
  }));
describe('in files', () =>
  behavesAsPlace((history) => {
    const folder = join(temporaryDirectory(), 's', 'a');
    return () => new FilePlace({ folder, author: 'ann', history });
  }));
describeOn(servers.each, (server) =>
  behavesAsPlace((history) => {
    const key = `todos/${++lists}`;
    return () => server().place(key, { author: 'ann', history });
  }),
);

function behavesAsPlace(create: Create): void {
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

  test('a change is computed again from a commit in between, and heard of when it is made', async () => {
    const place = placeThatKeeps(50);
    await place.commit(0, ['first'], NOON);
    let interruptions = 2;
    const document = documentOn(place);
    let told = 0;
    onTestFinished(document.onChange(({ version }) => (told = version)));
    const committed = await document.compute(async (newest) => {
      const { version = 0, content = [] } = newest ?? {};
      if (interruptions-- > 0) await place.commit(version, [...content, 'other'], NOON);
      return [...content, 'mine'];
    });
    expect(told).toBe(4);
    const made = { version: 4, content: ['first', 'other', 'other', 'mine'] };
    expect(committed).toMatchObject(made);
    expect(await place.load()).toMatchObject(made);
  });

  test('a change that turns out to be none commits nothing', async () => {
    const place = placeThatKeeps(50);
    const none = await documentOn(place).compute(() => undefined);
    expect(none).toBeUndefined();
    expect(await place.load()).toBeUndefined();
  });
}

test('memory and files need no waiting', () => {
  const place = new FilePlace<string[]>({ folder: join(temporaryDirectory(), 's', 'a') });
  const made = documentOn(place).compute(() => ['a']);
  expect(made).toMatchObject({ version: 1 });
  expect(place.load()).toMatchObject({ content: ['a'] });
});
