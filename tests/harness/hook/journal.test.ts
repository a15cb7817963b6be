import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journal, pastOf } from '../../../src/harness/hook/journal.ts';
import { temporaryDirectory } from '../../helpers/files.ts';

const MOST_BYTES = 32 * 1024;

/** A journal with a clock that advances a second with each entry. */
function journal() {
  const folder = join(temporaryDirectory(), 'main');
  const path = join(folder, 'hook.jsonl');
  let second = 0;
  const at = () => new Date(Date.UTC(2026, 0, 1) + 1000 * second++).toISOString();
  const add = (line: string, { session = 's', version = 1, exit = 0 } = {}) =>
    new Journal(folder).add({ session, version, at: at(), line, exit });
  return { folder, path, add, read: () => new Journal(folder).read(), at };
}

test('it never grows beyond the bytes that are read at once', () => {
  const { folder, path, add, at } = journal();
  for (let count = 0; count < 120; count++) {
    const text = ['x', '\u001b', '漢', '"'][count % 4] ?? '';
    add(text.repeat((count * 37) % 3000), { session: `${count % 50} ${'s'.repeat(1000)}` });
    const entry = { session: String(count), version: count, at: at() };
    new Journal(folder).add({ ...entry, said: count % 2 ? 'gate' : 'shown' });
    expect(statSync(path).size).toBeLessThan(MOST_BYTES);
  }
});

test('it is seldom rewritten', () => {
  const { path, add } = journal();
  let rewrites = 0;
  let inode = 0;
  for (let count = 0; count < 200; count++) {
    add(`grep -rn "pattern ${count}" ${'src '.repeat(70)}`);
    const { ino } = statSync(path);
    if (ino !== inode) rewrites += 1;
    inode = ino;
  }
  expect(rewrites).toBeLessThan(12);
});

test('of a longer file, as earlier versions left one, only the end is read, and little is kept', () => {
  const { folder, path, add } = journal();
  mkdirSync(folder, { recursive: true });
  const list = { version: 1, items: [{ content: 'x'.repeat(3000) }] };
  const old = (id: number) =>
    JSON.stringify({ id, session: 's', version: 1, said: 'shown', list, at: '2025-01-01' });
  writeFileSync(path, Array.from({ length: 100 }, (_, id) => `\n${old(id)}\n`).join(''));
  const { entries } = add('ls');
  expect(entries.length).toBeLessThan(12);
  expect(entries.at(-1)?.line).toBe('ls');
  expect(statSync(path).size).toBeLessThan(MOST_BYTES / 2);
});

test('the past of each session is kept when entries are left out', () => {
  const { folder, add, read, at } = journal();
  const tell = (said: 'shown' | 'gate', version: number) =>
    new Journal(folder).add({ session: 's', version, at: at(), said });
  add('TodoWrite -');
  tell('shown', 1);
  tell('gate', 1);
  const long = 'ls '.repeat(100);
  for (let count = 0; count < 120; count++) add(long, { session: count % 2 ? 's' : 'other' });
  const { before, entries } = read();
  expect(entries.length).toBeLessThan(120);
  expect(pastOf('s', before, entries)).toMatchObject({
    lines: 60,
    hasWritten: true,
    shown: 1,
    refusedAt: [1],
  });
  expect(pastOf('other', before, entries)).toMatchObject({
    lines: 60,
    hasWritten: false,
    shown: 0,
  });
  add('TodoWrite -', { session: 'other', version: 2 });
  const next = read();
  expect(pastOf('s', next.before, next.entries).lines).toBe(0);
});

test('a line that ran tests is kept when entries are left out, since they may have failed; others are not', () => {
  const { add, read } = journal();
  add('git status');
  add('npm test', { exit: 1 });
  for (let count = 0; count < 120; count++) add('ls '.repeat(100));
  expect(read().oldLines).toMatchObject([{ line: 'npm test', exit: 1 }]);
});

test('a file with other content is no error', () => {
  const { folder, path, add } = journal();
  mkdirSync(folder, { recursive: true });
  for (const text of ['{"before":null,"oldLines":[]}', '{"before":{},"oldLines":7}', '7', '{']) {
    writeFileSync(path, `${text}\n`);
    expect(add('ls').entries).toHaveLength(1);
    expect(readFileSync(path, 'utf8')).toContain('"line":"ls"');
  }
  const strange = [
    '{"before":{"version":0,"sessions":5},"oldLines":[]}',
    '{"before":{"version":0,"sessions":[["s",{"lines":0,"hasWritten":true,"shown":0,"refusedAt":5}]]},"oldLines":[]}',
    '{"before":{"version":0,"sessions":[]},"oldLines":[7]}',
    '{"id":"a","session":"s","version":1,"at":"","line":7}',
  ];
  for (const text of strange) {
    writeFileSync(path, `${text}\n`);
    const { before, oldLines, entries } = add('ls');
    expect({ oldLines, entries }).toMatchObject({ oldLines: [], entries: [{ line: 'ls' }] });
    expect(pastOf('s', before, entries)).toMatchObject({ lines: 1, refusedAt: [] });
  }
  // A killed hook left half a line.
  writeFileSync(path, '{"session":"s","line":"half', { flag: 'a' });
  expect(add('pwd').entries.map(({ line }) => line)).toEqual(['ls', 'pwd']);
});
