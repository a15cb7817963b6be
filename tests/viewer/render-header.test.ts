import { expect, test } from 'vitest';
import { createTheme } from '../../src/screen/panel/theme.ts';
import { listOf, STEPS, TestViewer } from './viewer-state.ts';

test('the header has agent, session, age, progress and total time; items have their times', () => {
  const viewer = new TestViewer({ lists: [STEPS] }, { rows: 10, columns: 64 });
  expect(viewer.rows()).toEqual([
    'main · app                                       updated 4s ago',
    `${'━'.repeat(16)}${'─'.repeat(33)}  1/3  12m 05s`,
    '',
    ' ✓ Analyze                                      11m 00s · 11:58',
    '▸● Doing Build...                                        1m 05s',
    ' ○ Ship it',
    '',
    '',
    '',
    'p put back  x complete  e edit        h history  ? keys  q quit',
  ]);
  viewer.now += 3_600_000;
  expect(viewer.body()[1]).toMatch(/^▸● Doing Build... +1h 01m$/);
  const wide = new TestViewer({ lists: [STEPS] }, { rows: 10, columns: 100 }).rows();
  expect(wide[0]).toMatch(/^main · app {2}━+─+ {2}1\/3 {2}12m 05s · updated 4s ago$/);
  expect(wide.at(-1)).toBe(
    'p put back  x complete  e edit  Enter details       h history  s sessions  / filter  ? keys  q quit',
  );
});

test('from 73 columns on the header is one row', () => {
  const rows = (columns: number) =>
    new TestViewer({ lists: [STEPS] }, { columns }).rows().slice(0, 2).join('\n');
  expect(rows(72)).toMatch(/\n.*1\/3/);
  expect(rows(73)).toMatch(/1\/3.*\n/);
});

test('the keys name Esc wherever there is a way back: on other pages, in an old version, with a filter', () => {
  const list = listOf('main', [600, '> Build'], [60, '> Build', '- Ship']);
  const keysAfter = (...keys: string[]) =>
    new TestViewer({ lists: [list] }, { columns: 100 })
      .press(...keys)
      .rows()
      .at(-1);
  expect(keysAfter()).not.toContain('Esc');
  for (const way of [['h'], ['h', 'down', 'return'], ['/', 'B', 'return']])
    expect(keysAfter(...way)).toContain('Esc back');
});

test('a title that is too long for one row is cut, and leaves a short bar', () => {
  const list = listOf('a'.repeat(120), [4, 'x a', '- b']);
  const header = new TestViewer({ lists: [list] }, { columns: 100 }).rows()[0];
  expect(header).toMatch(/^a{40,}… {2}━{4}─{4} {2}1\/2 {2}/);
});

test('the count has the colour of what is done only if all is', () => {
  const theme = createTheme({ colours: true });
  const header = (list: typeof STEPS) =>
    new TestViewer({ lists: [list] }, { columns: 100, theme }).rows()[0];
  expect(header(STEPS)).not.toContain(theme.paint.done('  1/3'));
  expect(header(listOf('main', [4, 'x a']))).toContain(theme.paint.done('  1/1'));
});

test('if the versions do not go back to the beginning, the time is a minimum', () => {
  const { versions } = listOf('main', [600, '> Build'], [60, '> Build', '- Ship']);
  const viewer = new TestViewer({ lists: [{ agent: 'main', versions: [versions[0]] }] });
  expect(viewer.body()[0]).toMatch(/^▸● Doing Build... +>1m 00s$/);
  expect(viewer.rows()[1]).toMatch(/>1m 00s$/);
});

test('an older version has the time that its plan had taken by then', () => {
  const list = listOf('main', [500, '> Build'], [380, '> Build', '- Ship'], [60, '- Ship']);
  const viewer = new TestViewer({ lists: [list] }).press('h', 'down', 'return');
  expect(viewer.rows()[0]).toMatch(/^Version 2 of main/);
  expect(viewer.rows()[1]).toMatch(/ {2}2m 00s$/);
});

test('a finished plan has the time that it took, and no clock runs; the next one begins its own', () => {
  const list = listOf('main', [500, '> Build'], [380, 'x Build']);
  const viewer = new TestViewer({ lists: [list] });
  expect(viewer.rows()[1]).toMatch(/1\/1 {2}finished in 2m 00s$/);
  expect(viewer.resize(100, 24).rows()[0]).toMatch(/1\/1 {2}finished in 2m 00s · updated 6m ago$/);
  expect(viewer.untilChange).toBe(40_000);
  const other = listOf('main', [5000, '> Old'], [60, '> New']);
  expect(new TestViewer({ lists: [other] }).rows()[1]).toMatch(/ {2}1m 00s$/);
});
