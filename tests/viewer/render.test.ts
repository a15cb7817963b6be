import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTheme } from '../../src/screen/panel/theme.ts';
import { displayWidth } from '../../src/screen/terminal/text.ts';
import { hostile, hostileItem } from '../helpers/hostile-text.ts';
import { runs } from '../helpers/random.ts';
import { plan } from '../screen/panel/todos.ts';
import { historyOf, listOf, PAGES, STEPS, TestViewer, tasksOf } from './viewer-state.ts';

test('a refusal of a few hundred characters is whole on a terminal of 14 rows, beside the item in progress', () => {
  const words = Array.from({ length: 100 }, (_, at) => `why${at}`).join(' ');
  const rows = new TestViewer({ lists: [STEPS] }, { columns: 80, rows: 14, message: words }).rows();
  expect(rows.join(' ')).toContain(words);
  expect(rows.join()).toContain('● Doing Build');
});

describe('scrolling', () => {
  const long = (completed: number) => historyOf('main', [[4, plan(50, completed)]]);

  test('follows the item in progress', () => {
    const viewer = new TestViewer({ lists: [long(5)] });
    for (const completed of [6, 20, 49, 30]) {
      viewer.learn({ lists: [long(completed)] });
      expect(viewer.body().join('\n')).toMatch(
        new RegExp(`▸● Doing step ${completed + 1}\\.\\.\\. +4s`),
      );
    }
  });

  test('stays where one has moved to, until Esc', () => {
    const viewer = new TestViewer({ lists: [long(30)] }).press('home', 'return', 'home');
    const before = viewer.body();
    expect(before[0]).toMatch(/^▸✓ step 1 +11:59$/);
    viewer.learn({ lists: [long(40)] });
    expect(viewer.body()).toEqual(before);
    viewer.press('escape');
    expect(viewer.body().join('\n')).toContain('● Doing step 41...');
    expect(viewer.body()[0]).toBe('   ▸ 37 completed');
  });

  test('of the completed items above the current one the last three show; Enter unfolds the others', () => {
    const rowsOf = (completed: number, ...keys: string[]) =>
      new TestViewer({ lists: [historyOf('main', [[4, plan(20, completed)]])] }).press(...keys);
    expect(rowsOf(3).body()[0]).toMatch(/^ ✓ step 1 /);
    expect(rowsOf(4).body()[0]).toBe('   ▸ 1 completed');
    expect(rowsOf(20).body().join()).not.toContain('▸ ');
    const folded = rowsOf(16);
    expect(folded.body().map((row) => row.replace(/ {2,}\S*$/, ''))).toEqual([
      '   ▸ 13 completed',
      ...[14, 15, 16].map((step) => ` ✓ step ${step}`),
      ...['▸● Doing step 17...', ' ○ step 18', ' ○ step 19', ' ○ step 20'],
    ]);
    folded.press('home');
    expect(folded.body()[0]).toBe('▸  ▸ 13 completed');
    expect(folded.rows().at(-1)).toMatch(/^Enter unfold /);
    expect(folded.press('x', 'd', 'K').state.request).toBeUndefined();
    expect(folded.press('return').body()[0]).toMatch(/^▸✓ step 1 /);
    expect(folded.press('escape').body()[0]).toBe('   ▸ 13 completed');
    expect(rowsOf(16, '/', 's').body()).toHaveLength(16);
  });

  test('goes by items, by screens, and to both ends', () => {
    const viewer = new TestViewer({ lists: [long(0)] });
    const chosen = () => /▸.*step (\d+)/.exec(viewer.rows().join('\n'))?.[1];
    const chosenAfter = (...keys: string[]) => {
      viewer.press(...keys);
      return chosen();
    };
    expect(chosenAfter('j', 'down', 'j', 'k')).toBe('3');
    expect(chosenAfter('pagedown')).toBe('17');
    expect(chosenAfter('pageup')).toBe('3');
    expect(chosenAfter('G')).toBe('50');
    expect(chosenAfter('down')).toBe('50');
    expect(chosenAfter('g', 'up')).toBe('1');
    expect(chosenAfter('down', 'home')).toBe('1');
    expect(chosenAfter('end')).toBe('50');
    viewer.resize(60, 4);
    expect(chosenAfter('home', 'pagedown', 'pagedown')).toBe('3');
  });

  test('how much is out of sight, above and below, is said', () => {
    const viewer = new TestViewer({ lists: [long(20)] }).press('home', 'return', 'end');
    expect(viewer.rows()[2]).toBe(' ↑ 34 more');
    expect(viewer.rows().join('\n')).not.toContain('↓');
    viewer.press('home');
    expect(viewer.rows()[2]).toBe(' ↓ 34 more');
    viewer.press('pagedown', 'pagedown');
    expect(viewer.rows()[2]).toMatch(/^ ↑ \d+ more {2}↓ \d+ more$/);
  });

  test('goes line by line through an item that is longer than the screen', () => {
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`);
    const list = listOf('main', [4, `- ${words.join(' ')}`, '- next']);
    const viewer = new TestViewer({ lists: [list] }, { columns: 20, rows: 5 });
    const unseenAfter = (key: string) => {
      const seen = new Set<string>();
      for (let step = 0; step < 20; step++) {
        viewer.press(key);
        for (const row of viewer.rows().slice(1)) {
          for (const word of row.split(/\W+/)) seen.add(word);
        }
      }
      return words.filter((word) => !seen.has(word));
    };
    viewer.press('home');
    // The first row is above the screen after the first key.
    expect(unseenAfter('down')).toEqual(['word0', 'word1']);
    expect(viewer.rows().join('\n')).toContain('▸○ next');
    viewer.press('end');
    expect(unseenAfter('up')).toEqual([]);
    expect(viewer.rows().join('\n')).toContain('▸○ word0');
  });
});

test('before the lists have been looked for, nothing is said of them', () => {
  const viewer = new TestViewer({ isReached: false });
  expect(viewer.body()).toEqual([]);
  expect(viewer.learn({ isReached: true }).rows().join()).toContain('Waiting for');
});

test('trouble with reading shows in the last row, and the list stays', () => {
  const viewer = new TestViewer({ lists: [STEPS], problem: '/state/x is damaged' });
  expect(viewer.rows().at(-1)).toBe('/state/x is damaged');
  expect(viewer.body()).toHaveLength(3);
  for (const rows of [4, 3, 2]) {
    expect(viewer.resize(40, rows).rows().at(-1), `${rows} rows`).toBe('/state/x is damaged');
  }
});

const ANY_KEY = fc.constantFrom(
  ...['up', 'down', 'left', 'right', 'pageup', 'pagedown', 'home', 'end', 'return', 'escape'],
  ...'abcdeghjknopsuxJKG?',
);

test('on every page and size, after any keys, no row is as wide as the screen, none holds a control, and there are no more than fit', () => {
  fc.assert(
    fc.property(
      fc.array(hostileItem, { maxLength: 12 }),
      hostile,
      fc.constantFrom(...(Object.keys(PAGES) as (keyof typeof PAGES)[])),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 100 }),
      fc.boolean(),
      fc.array(ANY_KEY, { maxLength: 12 }),
      (items, name, page, columns, rows, unicode, keys) => {
        const own = historyOf(
          name,
          [9, 4].map((ago) => [ago, items.slice(ago % 2)]),
        );
        const lists = [own, listOf('main', [4, '- a'])];
        const task = { subject: name, owner: name, status: 'in_progress' as const };
        const tasks = tasksOf(task, { subject: name });
        const problem = unicode ? name : undefined;
        const viewer = new TestViewer(
          { lists, tasks, session: name, problem },
          { columns, rows, page, agent: name, theme: createTheme({ unicode }) },
        );
        viewer.press(...keys);
        const shown = viewer.rows();
        expect(shown.length).toBeLessThanOrEqual(rows);
        for (const row of shown) {
          expect(row).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
          expect(displayWidth(row)).toBeLessThanOrEqual(Math.max(1, columns - 1));
        }
      },
    ),
    { numRuns: runs(60) },
  );
});

test('the end of a paste shows at once, however long it is', () => {
  const viewer = new TestViewer({}, { page: 'list', columns: 40 });
  const before = `${'é'.repeat(50_000)} end`;
  viewer.state = { ...viewer.state, input: { kind: 'filter', before, after: '' } };
  expect(viewer.rows().at(-1)).toBe(`/${'é'.repeat(33)} end`);
});
