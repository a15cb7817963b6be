import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderLists, renderTodos } from '../../../src/screen/panel/render-lists.ts';
import { createTheme } from '../../../src/screen/panel/theme.ts';
import { displayWidth } from '../../../src/screen/terminal/text.ts';
import type { TodoItem } from '../../../src/todo/todo-fields.ts';
import { hostileItem } from '../../helpers/hostile-text.ts';
import { runs } from '../../helpers/random.ts';
import { plan, stateOf, todos } from './todos.ts';

const ascii = createTheme({ unicode: false });

function render(items: TodoItem[], columns = 80, rows = 24): string[] {
  return renderTodos(stateOf(items), { columns, rows });
}

/** The rows of a box without the frame. */
function body(items: TodoItem[], columns = 80, rows = 24): string[] {
  const lines = render(items, columns, rows);
  return lines.slice(1, -1).map((line) => line.slice(2, -2).trimEnd());
}

test('the panel is a box with a glyph for each status and the progress in its title', () => {
  expect(render(todos('x Analyze', '> Build', '- Ship'), 40)).toEqual([
    '┌─ Tasks ─────────────────────── 1/3 ─┐',
    '│ ✓ Analyze                           │',
    '│ ● Doing Build...                    │',
    '│ ○ Ship                              │',
    '└─────────────────────────────────────┘',
  ]);
});

test('a terminal without Unicode gets ASCII, and a question mark for other characters', () => {
  const state = stateOf(todos('x Café 你好', '> Build', '- Ship'));
  expect(renderTodos(state, { columns: 30, rows: 24, theme: ascii })).toEqual([
    '+- Tasks ------------- 1/3 -+',
    '| x Caf? ??                 |',
    '| > Doing Build...          |',
    '| - Ship                    |',
    '+---------------------------+',
  ]);
});

test('below 24 columns, rows have no box, down to a screen of one column', () => {
  const items = todos('x Analyze', '> Build');
  expect(render(items, 24)).toHaveLength(4);
  expect(render(items, 23)).toEqual(['✓ Analyze', '● Doing Build...']);
  expect(render(items, 10, 4)).toEqual(['✓ Analyze', '● Doing …']);
  for (const columns of [2, 1]) expect(render(items, columns)).toEqual(['✓', '●']);
});

test('it takes at most ten rows and never more than half of the screen', () => {
  for (const rows of [1, 2, 3, 7, 8, 19, 20, 60]) {
    for (const columns of [1, 24, 80]) {
      const height = render(plan(50, 3), columns, rows).length;
      expect(height).toBe(Math.min(10, Math.floor(rows / 2)));
    }
  }
});

test('a screen too low for a box has rows only; a single row shows the active item', () => {
  expect(render(plan(50, 3), 40, 5)).toEqual(['● Doing step 4...', '… 3 completed, 46 pending']);
  expect(render(plan(50, 3), 40, 2)).toEqual(['● Doing step 4...']);
  expect(render(todos('x a', '- b'), 40, 2)).toEqual(['… 1 completed, 1 pending']);
});

test('completed items are hidden first, the oldest first', () => {
  expect(body(plan(9, 5))).toEqual([
    ...['✓ step 3', '✓ step 4', '✓ step 5', '● Doing step 6...'],
    ...['○ step 7', '○ step 8', '○ step 9', '… 2 completed'],
  ]);
});

test('then pending items are hidden from the end, and the active item never', () => {
  const items = [...plan(20, 3), ...todos('- last')];
  expect(body(items)).toEqual([
    ...['● Doing step 4...', '○ step 5', '○ step 6', '○ step 7', '○ step 8', '○ step 9'],
    ...['○ step 10', '… 3 completed, 11 pending'],
  ]);
});

test('items are in list order, whatever their priority, so that --done 2 is the second row', () => {
  const priorities = ['low', 'medium', 'high', 'low', 'medium'] as const;
  const items = todos('- low', '- plain', '- high', 'x done', '> now').map((item, at) => ({
    ...item,
    priority: priorities[at] ?? 'medium',
  }));
  expect(body(items).map((row) => row.replace(/ {2,}/, '  '))).toEqual([
    ...['○ low  low', '○ plain', '○ high  high', '✓ done', '● Doing now...'],
  ]);
});

test('of pending items that do not all fit, those of high priority show, in list order', () => {
  const urgent = todos('- urgent').map((item) => ({ ...item, priority: 'high' as const }));
  expect(body([...plan(10, 0), ...urgent]).map((row) => row.replace(/ {2,}high$/, ''))).toEqual([
    ...['● Doing step 1...', '○ step 2', '○ step 3', '○ step 4', '○ step 5', '○ step 6'],
    ...['○ urgent', '… 4 pending'],
  ]);
});

test('an item that has run for a second or more shows for how long', () => {
  const state = stateOf(todos('> Build'));
  const at = (elapsedMs: number) => renderTodos(state, { columns: 30, elapsedMs })[1];
  expect(at(999)).toBe('│ ● Doing Build...          │');
  expect(at(12_000)).toBe('│ ● Doing Build...      12s │');
  expect(at(725_000)).toBe('│ ● Doing Build...  12m 05s │');
});

test('a folded panel is one line', () => {
  const done = (count: number, columns = 80) =>
    renderLists(stateOf(plan(count, count)), [], [], { columns }, true);
  expect(done(4)).toEqual(['✓ 4 tasks completed']);
  expect(done(1)).toEqual(['✓ 1 task completed']);
  expect(done(0)).toEqual([]);
  expect(done(4, 10)).toEqual(['✓ 4 task…']);
  expect([done(4, 2), done(4, 1)]).toEqual([['…'], ['…']]);
});

test('the lists of other agents share the room that the own one leaves', () => {
  const others = ['bob', 'eve'].map((name) => ({ name, todos: stateOf(plan(20, 3)) }));
  const heights = [1, 2].map((count) => {
    const screen = { columns: 40, rows: 24 };
    return renderLists(stateOf(todos('> a')), others.slice(0, count), [], screen).length;
  });
  expect(heights).toEqual([3 + 9, 3 + 4 + 5]);
});

const LONG =
  'Rewriting the authentication middleware so that it validates the session cookie first';

test('the active item takes two rows rather than being cut', () => {
  const items: TodoItem[] = [
    { content: 'a', activeForm: LONG, status: 'in_progress' },
    ...todos(`- ${LONG}`, '- b'),
  ];
  const state = stateOf(items);
  expect(renderTodos(state, { columns: 60, elapsedMs: 270_000 }).slice(1, -1)).toEqual([
    '│ ● Rewriting the authentication middleware so     4m 30s │',
    '│   that it validates the session cookie first...         │',
    '│ ○ Rewriting the authentication middleware so that it v… │',
    '│ ○ b                                                     │',
  ]);
  expect(renderTodos(state, { columns: 30, rows: 10 }).at(-2)).toMatch(/^│ … 2 pending/);
});

test('a completed item shows how long it took, and the title what a rewrite added and removed', () => {
  const items = todos('x Read the code', '- Ship');
  const took = new Map([[items[0], 130_000]]);
  const rewritten = { added: 2, removed: 1 };
  expect(renderTodos(stateOf(items), { columns: 40, took, rewritten })).toEqual([
    '┌─ Tasks ────────────── +2 −1 ── 1/2 ─┐',
    '│ ✓ Read the code              2m 10s │',
    '│ ○ Ship                              │',
    '└─────────────────────────────────────┘',
  ]);
});

test('with any text, each line is one row of the given width and the frame is closed', () => {
  fc.assert(
    fc.property(
      fc.array(hostileItem, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 0, max: 100_000 }),
      (items, columns, elapsedMs) => {
        const lines = renderTodos(stateOf(items), { columns, rows: 24, elapsedMs });
        for (const line of lines) {
          expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Cf}]/u);
          // After writing in the last column, a terminal is about to wrap. A mark and a wide character need four.
          if (columns < 24)
            expect(displayWidth(line)).toBeLessThanOrEqual(columns > 4 ? columns - 1 : columns);
          else expect(displayWidth(line)).toBe(Math.min(columns - 1, 100));
          if (columns >= 24) expect(line).toMatch(/^(┌─.*─┐|│ .* │|└─+┘)$/u);
        }
      },
    ),
    { numRuns: runs(100) },
  );
});
