import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { orElse } from '../../src/base/system/files.ts';
import { FilePlace } from '../../src/lists/file-place.ts';
import { watchFolder } from '../../src/lists/watch-folder.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { eventually } from '../helpers/eventually.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { hasProc } from '../helpers/processes.ts';

const NOW = new Date('2026-05-01T12:00:00.000Z');

afterEach(() => void vi.useRealTimers());

function watchedList(): { folder: string; other: FilePlace<string>; calls: () => number } {
  const folder = join(temporaryDirectory(), 'state', 'session', 'agent');
  const watcher = vi.fn();
  onTestFinished(new FilePlace<string>({ folder }).watch(watcher));
  return { folder, other: new FilePlace({ folder }), calls: () => watcher.mock.calls.length };
}

test("others' commits are noticed from the first version on, before the check of each second", async () => {
  // The poll never comes.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const { other, calls } = watchedList();
  for (let base = 0; base < 20; base++) {
    const before = calls();
    other.commit(base, 'x', NOW);
    await eventually('a call', () => calls() > before);
  }
  expect(calls()).toBe(20);
});

test('a burst of changes is few looks, and the last one is seen', async () => {
  const folder = temporaryDirectory();
  let seen: string[] = [];
  let looks = 0;
  onTestFinished(
    watchFolder(folder, () => {
      looks++;
      seen = readdirSync(folder);
    }),
  );
  const start = performance.now();
  for (let change = 0; change < 1000; change++) {
    writeFileSync(join(folder, `${change}`), '');
    if (change % 100 === 0) await setImmediate();
  }
  await eventually('the last change is seen', () => seen.includes('999'));
  expect(looks).toBeLessThanOrEqual(3 + (performance.now() - start) / 15);
});

test('a list that is deleted and made anew is followed', async () => {
  const { folder, other, calls } = watchedList();
  other.commit(0, 'x', NOW);
  await eventually('a call', () => calls() === 1);
  rmSync(dirname(dirname(folder)), { recursive: true });
  await eventually('a call for the deletion', () => calls() === 2);
  other.commit(0, 'y', NOW);
  await eventually('a call for the new list', () => calls() === 3);
  expect(calls()).toBe(3);
});

test('a folder that has just changed is checked each second even without events', async () => {
  const folder = temporaryDirectory();
  const listener = vi.fn();
  vi.useFakeTimers();
  const end = watchFolder(folder, listener);
  vi.advanceTimersByTime(999);
  expect(listener).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(listener).toHaveBeenCalledTimes(1);
  end();
  vi.advanceTimersByTime(5000);
  expect(listener).toHaveBeenCalledTimes(1);
});

test('a folder that stays as it is costs a look in ten seconds', async () => {
  const folder = temporaryDirectory();
  const listener = vi.fn();
  vi.useFakeTimers({ now: Date.now() + 60_000 });
  const ends = [watchFolder(folder, listener), watchFolder(folder, () => {})];
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(20_000);
  expect(listener).toHaveBeenCalledTimes(2);
  expect(timersAfter(ends)).toEqual([1, 0]);
});

test.runIf(hasProc)(
  'one folder is watched at a time: the list, or the nearest parent until it is there',
  async () => {
    const watched = () =>
      readdirSync('/proc/self/fdinfo')
        .map((fd) => orElse(() => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'), ''))
        .join('')
        .split('inotify wd').length;
    const folder = join(temporaryDirectory(), 'list');
    const listener = vi.fn();
    const before = watched();
    const end = watchFolder(folder, listener);
    expect(watched()).toBe(before + 1);
    mkdirSync(folder);
    await eventually('a call', () => listener.mock.calls.length > 0);
    expect(watched()).toBe(before + 1);
    end();
    expect(watched()).toBe(before);
  },
);

test('a store watches its folder until its last listener is gone', () => {
  const store = new TodoStore(undefined, new FilePlace({ folder: temporaryDirectory() }));
  vi.useFakeTimers();
  expect(timersAfter([store.onChange(() => {}), store.onChange(() => {})])).toEqual([1, 0]);
});

/** After each end. */
const timersAfter = (ends: readonly (() => void)[]) =>
  ends.map((end) => {
    end();
    return vi.getTimerCount();
  });

test('a list that has become unreadable is a warning for listeners, an error for readers, and replaced by writers', async () => {
  const folder = join(temporaryDirectory(), 'agent');
  const store = new TodoStore(undefined, new FilePlace({ folder }));
  const listener = vi.fn();
  onTestFinished(store.onChange(listener));
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  mkdirSync(folder);
  writeFileSync(join(folder, '7-abcdefgh.json'), '{}');
  writeFileSync(join(folder, 'head-7-abcdefgh'), '');
  expect((await warned).message).toMatch(/7-abcdefgh\.json is damaged/);
  expect(listener).not.toHaveBeenCalled();
  expect(() => store.get()).toThrow(/7-abcdefgh\.json is damaged/);
  expect(store.update([])).toMatchObject({ version: 8, items: [] });
});
