import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { FilePlace } from '../../src/state/file-place.ts';
import { MemoryPlace } from '../../src/state/memory-place.ts';
import { change, type Place } from '../../src/state/place.ts';
import { temporaryDirectory } from '../helpers/files.ts';

const NOON = new Date('2026-05-01T12:00:00.000Z');
const ONE = new Date('2026-05-01T13:00:00.500Z');

const KINDS: [string, (history: number) => Place<string[]>][] = [
  ['memory', (history) => new MemoryPlace({ author: 'ann', history })],
  [
    'files',
    (history) =>
      new FilePlace({ folder: join(temporaryDirectory(), 's', 'a'), author: 'ann', history }),
  ],
];

describe.each(KINDS)('a place in %s', (_, create) => {
  const placeThatKeeps = create;

  test('holds nothing before the first commit', () => {
    const place = placeThatKeeps(50);
    expect(place.load()).toBeUndefined();
    expect([...place.history()]).toEqual([]);
  });

  test('holds what was committed last, with its number, time and author', () => {
    const place = placeThatKeeps(50);
    expect(place.commit(0, ['a'], NOON)).toMatchObject({ version: 1, content: ['a'] });
    expect(place.commit(1, ['b'], ONE)).toMatchObject({ version: 2, content: ['b'] });
    expect(place.load()).toMatchObject({ version: 2, at: ONE, by: 'ann', content: ['b'] });
  });

  test.each([0, 1, 3, -1, Number.NaN])(
    'changes nothing for a commit against %d where 2 is the newest',
    (base) => {
      const place = placeThatKeeps(50);
      place.commit(0, ['a'], NOON);
      place.commit(1, ['b'], NOON);
      expect(place.commit(base, ['c'], ONE)).toBeUndefined();
      expect(place.load()).toMatchObject({ version: 2, content: ['b'] });
    },
  );

  test('keeps as many versions as it was told, the newest first', () => {
    const place = placeThatKeeps(3);
    for (let base = 0; base < 7; base++) place.commit(base, [`${base + 1}`], NOON);
    expect([...place.history()]).toMatchObject([
      { version: 7, content: ['7'] },
      { version: 6, content: ['6'] },
      { version: 5, content: ['5'] },
    ]);
  });

  test('keeps the newest version alone where that is all it may keep', () => {
    const place = placeThatKeeps(1);
    place.commit(0, ['a'], NOON);
    place.commit(1, ['b'], NOON);
    expect([...place.history()]).toMatchObject([{ version: 2, content: ['b'] }]);
  });

  test('calls its watchers before a commit of its own returns, and not once they have ended', () => {
    const place = placeThatKeeps(50);
    const watcher = vi.fn();
    const end = place.watch(watcher);
    expect(watcher).not.toHaveBeenCalled();
    place.commit(0, ['a'], NOON);
    expect(watcher).toHaveBeenCalledTimes(1);
    place.commit(0, ['refused'], NOON);
    expect(watcher).toHaveBeenCalledTimes(1);
    end();
    place.commit(1, ['b'], NOON);
    expect(watcher).toHaveBeenCalledTimes(1);
  });

  test('a change is computed again from what another has committed in between', () => {
    const place = placeThatKeeps(50);
    place.commit(0, ['first'], NOON);
    let interruptions = 2;
    const committed = change(place, (newest) => {
      const { version = 0, content = [] } = newest ?? {};
      if (interruptions-- > 0) place.commit(version, [...content, 'other'], NOON);
      return { content: [...content, 'mine'], at: ONE };
    });
    expect(committed).toMatchObject({ version: 4, content: ['first', 'other', 'other', 'mine'] });
    expect(place.load()).toMatchObject({
      version: 4,
      content: ['first', 'other', 'other', 'mine'],
    });
  });

  test('a change that turns out to be none commits nothing', () => {
    const place = placeThatKeeps(50);
    expect(change(place, () => undefined)).toBeUndefined();
    expect(place.load()).toBeUndefined();
  });
});
