import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PanelMode } from '../../../src/screen/panel/task-panel.ts';
import { TaskPanel } from '../../../src/screen/panel/task-panel.ts';
import { FRESH_COLOURS } from '../../../src/screen/panel/theme.ts';
import type { TaskRow, TaskView } from '../../../src/tasks/task-store.ts';
import type { TodoItem } from '../../../src/todo/todo-fields.ts';
import { TodoStore } from '../../../src/todo/todo-store.ts';
import { hostileItem } from '../../helpers/hostile-text.ts';
import { runs } from '../../helpers/random.ts';
import { VirtualTerminal } from '../../helpers/virtual-terminal.ts';
import { FakeClock } from '../terminal/fake-clock.ts';
import { plan, todos } from './todos.ts';

const LIST = todos('x Analyze', '> Build', '- Test');

interface Options {
  mode?: PanelMode;
  env?: Record<string, string>;
  columns?: number;
  isTTY?: boolean;
  items?: TodoItem[];
  withTasks?: boolean;
}

function start(options: Options = {}) {
  const { mode, env = {}, columns = 40, isTTY = true, items = [], withTasks } = options;
  const terminal = new VirtualTerminal(columns, 24);
  terminal.isTTY = isTTY;
  const clock = new FakeClock();
  const store = new TodoStore(() => new Date(clock.now()));
  store.update(items);
  const tasks = new SomeTasks();
  const more = { ...(mode && { mode }), ...(withTasks && { tasks }) };
  const panel = new TaskPanel({ store, stream: terminal, env, clock, ...more });
  return { terminal, store, clock, panel, tasks };
}

class SomeTasks implements TaskView {
  #rows: readonly TaskRow[] = [];
  readonly #listeners = new Set<() => void>();

  rows(): readonly TaskRow[] {
    return this.#rows;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  set(rows: readonly TaskRow[]): void {
    this.#rows = rows;
    for (const listener of this.#listeners) listener();
  }
}

const bytes = (writes: string[]) => Buffer.byteLength(writes.join(''));

test('a change of the list draws the panel below the cursor', async () => {
  const { terminal, store, panel } = start();
  panel.write('$ ');
  store.update(LIST);
  expect(await terminal.screen()).toEqual([
    '$',
    '┌─ Tasks ─────────────────────── 1/3 ─┐',
    '│ ✓ Analyze                           │',
    '│ ● Doing Build...                    │',
    '│ ○ Test                              │',
    '└─────────────────────────────────────┘',
  ]);
  expect(await terminal.cursor()).toEqual({ x: 2, y: 0 });
});

test('an empty or cleared list has no panel, and nothing is written for it', async () => {
  const { terminal, store, clock } = start();
  expect(terminal.writes).toEqual([]);
  expect(clock.pending).toBe(0);
  store.update(LIST);
  clock.pass(100);
  store.clear();
  clock.pass(100);
  expect(await terminal.screen()).toEqual([]);
});

test('changes in quick succession are drawn as one, the first at once and the last in the end', async () => {
  const { terminal, store, clock } = start();
  for (let completed = 0; completed < 5; completed++) store.update(plan(6, completed));
  expect(terminal.writes).toHaveLength(1);
  clock.pass(25);
  expect(terminal.writes).toHaveLength(2);
  expect((await terminal.screen())[1]).toContain(' 4/6 ');
});

test('the item in progress shows how long it has been running, and nothing else moves', async () => {
  const { terminal, store, clock } = start();
  store.update(LIST);
  clock.pass(2500);
  expect((await terminal.screen())[3]).toBe('│ ● Doing Build...                 2s │');
  // One write for the list, and one for each second.
  expect(terminal.writes).toHaveLength(3);
  store.update(todos('x Analyze', '- Build'));
  expect((await terminal.screen())[3]).toBe('│ ○ Build                             │');
  // Until the highlight ends.
  clock.pass(2100);
  expect(clock.pending).toBe(0);
});

test('an item that began between two frames has run since then', async () => {
  const { terminal, store, clock } = start();
  store.update(todos('- Build'));
  clock.pass(20);
  store.update(todos('> Build'));
  clock.pass(4);
  store.update(todos('> Build', '- Test'));
  clock.pass(996);
  expect((await terminal.screen())[2]).toBe('│ ● Doing Build...                 1s │');
});

test('a change of state shows for two seconds across the whole row, then settles', async () => {
  const { terminal, store, clock } = start({ env: { FORCE_COLOR: '1' } });
  store.update(todos('> Analyze', '- Build'));
  const looks = async () => {
    await terminal.settle();
    return [2, 3].map((y) => {
      const [atStart, atEnd] = [2, 35].map((x) => Boolean(terminal.cell(x, y)?.isBgPalette()));
      expect(atEnd).toBe(atStart);
      return atStart;
    });
  };
  expect(await looks()).toEqual([false, false]);
  clock.pass(100);
  store.update(todos('x Analyze', '- Build', '- Test'));
  expect(await looks()).toEqual([true, false]);
  clock.pass(1000);
  store.update(todos('x Analyze', '> Build', '- Test'));
  clock.pass(900);
  expect(await looks()).toEqual([true, true]);
  clock.pass(200);
  expect(await looks()).toEqual([false, true]);
  clock.pass(1000);
  expect(await looks()).toEqual([false, false]);
  expect(terminal.cell(4, 2)?.isStrikethrough()).toBeTruthy();
});

test("a helper's rows have their clocks, its changes stand out, and its title is short", async () => {
  const { terminal, clock, panel } = start({ items: LIST });
  const helper = new TodoStore(() => new Date(clock.now()));
  panel.showBeside('ann@1111aaaa-2222-4333-8444-555566667777', helper);
  helper.update(todos('> Look', '- Tell'));
  clock.pass(3000);
  helper.update(todos('x Look', '> Tell'));
  clock.pass(1000);
  expect((await terminal.screen()).slice(6)).toEqual([
    '┌─ ann 1111 ──────────────────── 1/2 ─┐',
    '│ ✓ Look                           3s │',
    '│ ● Doing Tell...                  1s │',
    '└─────────────────────────────────────┘',
  ]);
  expect([3, 7, 8].map((y) => terminal.cell(30, y)?.isBgPalette() && y)).toEqual([false, 7, 8]);
  clock.pass(2000);
  panel.dispose();
  expect((await terminal.screen())[7]).toBe('│ ● Doing Tell...                  3s │');
});

test("a change of the team's tasks is drawn at once, and stands out for two seconds", async () => {
  const { terminal, clock, tasks } = start({ items: LIST, withTasks: true });
  tasks.set([{ id: 1, subject: 'Look', status: 'pending', openBlockers: [] }]);
  expect((await terminal.screen()).slice(6)).toEqual([
    '┌─ Team tasks ────────────────── 0/1 ─┐',
    '│ ○ #1 Look                           │',
    '└─────────────────────────────────────┘',
  ]);
  clock.pass(1000);
  tasks.set([{ id: 1, subject: 'Look', status: 'in_progress', openBlockers: [] }]);
  const isLit = async () => {
    await terminal.settle();
    return terminal.cell(30, 7)?.isBgPalette();
  };
  expect(await isLit()).toBe(true);
  clock.pass(2000);
  expect(await isLit()).toBe(false);
});

test('the frame is quieter than the text', async () => {
  const { terminal } = start({ items: LIST });
  await terminal.settle();
  const dim = (x: number, y: number) => Boolean(terminal.cell(x, y)?.isDim());
  const frame = [dim(0, 1), dim(38, 1), dim(0, 3), dim(38, 3), dim(20, 5)];
  expect([...frame, dim(3, 1), dim(4, 3)]).toEqual([...frame.map(() => true), false, false]);
});

test('a later panel shows the whole time of the active item', async () => {
  const { terminal, store, clock, panel } = start({ items: LIST });
  clock.pass(60_000);
  store.update(todos('x Analyze', '> Build', '- Test', '- Ship'));
  clock.pass(5000);
  panel.dispose();
  const later = new VirtualTerminal(40, 24);
  new TaskPanel({ store, stream: later, env: {}, clock });
  expect((await later.screen())[3]).toBe('│ ● Doing Build...             1m 05s │');
  expect((await terminal.screen())[2]).toBe('│ ● Doing Build...             1m 05s │');
});

test('a status change of one item, however long the list, costs less than 2 KB', () => {
  const words = 'alpha bravo charlie delta echo foxtrot golf hotel india juliett'.split(' ');
  const list = (completed: number): TodoItem[] =>
    plan(50, completed).map((item, i) => ({
      ...item,
      content: `${words[i % 10]} the ${words[(i * 7 + 3) % 10]} of ${i}`,
      activeForm: `Doing ${words[i % 10]} to ${words[(i * 3) % 10]}`,
    }));
  const { terminal, store, clock } = start({ columns: 80, env: { FORCE_COLOR: '1' } });
  store.update(list(10));
  for (let completed = 11; completed < 40; completed++) {
    clock.pass(100);
    terminal.writes.length = 0;
    store.update(list(completed));
    expect(bytes(terminal.writes)).toBeGreaterThan(0);
    expect(bytes(terminal.writes)).toBeLessThan(2000);
  }
});

test('a list with all items completed shows once, and folds at the next command', async () => {
  const { terminal, store, panel, clock } = start();
  store.update(plan(4, 4));
  clock.pass(100);
  expect(await terminal.rowsBelowCursor()).toHaveLength(6);
  panel.commandStarted();
  expect(await terminal.rowsBelowCursor()).toEqual(['✓ 4 tasks completed']);
  store.update(plan(4, 2));
  clock.pass(100);
  expect(await terminal.rowsBelowCursor()).toHaveLength(6);
});

test('what a command left unfinished, a sequence or a colour, ends at the next command', async () => {
  const { terminal, panel } = start();
  panel.write('\x1b[31mred \x1b]0;a title without end');
  panel.commandStarted();
  panel.write('plain');
  expect(await terminal.linesToCursor()).toEqual(['red plain']);
  expect(terminal.cell('red '.length, 0)?.isAttributeDefault()).toBe(true);
});

test('a list that is not done does not fold, and its title counts what the command changes', async () => {
  const { terminal, store, panel } = start({ items: LIST });
  panel.commandStarted();
  expect(await terminal.rowsBelowCursor()).toHaveLength(5);
  store.update(todos('x Analyze', '> Build', '- Ship', '- Celebrate'));
  expect((await terminal.rowsBelowCursor())[0]).toContain(' +2 −1 ── 1/4 ');
});

test('the panel follows the size of the terminal', async () => {
  const { terminal } = start({ items: LIST });
  await terminal.resize(20, 24);
  expect(await terminal.rowsBelowCursor()).toEqual(['✓ Analyze', '● Doing Build...', '○ Test']);
  await terminal.resize(20, 4);
  expect(await terminal.rowsBelowCursor()).toEqual(['● Doing Build...', '… 1 completed, 1 p…']);
  await terminal.resize(1, 1);
  expect(await terminal.rowsBelowCursor()).toEqual([]);
  await terminal.resize(40, 24);
  expect(await terminal.rowsBelowCursor()).toHaveLength(5);
});

test.each([
  ['a stream that is no terminal', { isTTY: false, env: {} }],
  ['a dumb terminal', { env: { TERM: 'dumb' } }],
  ['a panel that is switched off', { mode: 'never' as const, env: {} }],
])('%s gets other output as it is and nothing else', (_, options) => {
  const { terminal, store, panel, clock } = start({
    ...options,
    env: { FORCE_COLOR: '1', ...options.env },
  });
  store.update(LIST);
  panel.write('one\n\x1b[2Jtwo');
  panel.commandStarted();
  clock.pass(1000);
  panel.dispose();
  expect(terminal.writes.join('')).toBe('one\n\x1b[2Jtwo');
  expect(clock.pending).toBe(0);
});

test('a panel that is always on is drawn on any stream', async () => {
  const { terminal, store } = start({ mode: 'always', isTTY: false, env: { TERM: 'dumb' } });
  store.update(LIST);
  expect((await terminal.screen()).at(-1)).toMatch(/^└─+┘$/);
});

test('plain mode writes one line of words per change, and no escape code', () => {
  const { terminal, store, panel, clock } = start({ mode: 'plain', env: { FORCE_COLOR: '1' } });
  store.update(LIST);
  store.update(LIST);
  panel.write('half a line');
  store.update(todos('x Analyze', 'x Build', '> Test'));
  clock.pass(1000);
  panel.showBeside('ann', store)();
  panel.dispose();
  expect(terminal.writes.join('')).toBe(
    'Tasks 1/3: in progress: Doing Build; completed: Analyze; added: Test\n' +
      'half a line\nTasks 2/3: in progress: Doing Test; completed: Build\n' +
      'Tasks of ann 2/3: in progress: Doing Test; completed: Analyze; completed: Build\n',
  );
});

/** The styles of the mark and the text of the first three rows. */
async function looks(terminal: VirtualTerminal): Promise<string[]> {
  await terminal.settle();
  return [2, 3, 4].map((y) => {
    const [mark, text] = [terminal.cell(2, y), terminal.cell(4, y)];
    const styles = [
      text?.isBold() && 'bold',
      text?.isDim() && 'dim',
      text?.isStrikethrough() && 'struck',
    ];
    const colours = `${mark?.getFgColor()} ${text?.getFgColor()}`;
    return [...styles.filter(Boolean), colours].join(' ');
  });
}

test('completed is dim and struck through with a green mark, in progress bold in its colour, pending plain', async () => {
  const { terminal } = start({ items: LIST });
  expect(await looks(terminal)).toEqual(['dim struck 2 -1', 'bold 5 5', '-1 -1']);
});

test('its look follows the environment', async () => {
  const { terminal } = start({ items: LIST, env: { NO_COLOR: '1', LC_ALL: 'C' } });
  expect(await looks(terminal)).toEqual(['dim struck -1 -1', 'bold -1 -1', '-1 -1']);
  expect((await terminal.rowsBelowCursor()).join('')).toMatch(/^[ -~]+$/);
});

test('dispose leaves the last state as text without a highlight, and lets go of store, stream and clock', async () => {
  const { terminal, store, clock, panel } = start();
  panel.write('output');
  store.update(plan(2, 0));
  clock.pass(100);
  store.update(plan(2, 1));
  panel.dispose();
  panel.dispose();
  const rows = await terminal.screen();
  expect([2, 3].map((y) => Boolean(terminal.cell(4, y)?.isBgPalette()))).toEqual([false, false]);
  expect(terminal.writes.join('')).toContain(`;48;5;${FRESH_COLOURS.unknown.behind}m`);
  expect(rows.slice(0, 2)).toEqual(['output', '┌─ Tasks ─────────────────────── 1/2 ─┐']);
  expect(rows).toHaveLength(5);
  expect(await terminal.cursor()).toEqual({ x: 0, y: 5 });
  expect(clock.pending).toBe(0);
  expect(terminal.listenerCount('resize')).toBe(0);
  const { length } = terminal.writes;
  store.update(plan(2, 2));
  expect(terminal.writes).toHaveLength(length);
});

const size = fc.record({
  columns: fc.integer({ min: 24, max: 90 }),
  rows: fc.integer({ min: 8, max: 24 }),
});

test.each([true, false])('a todo is only text in its box (wide emoji: %s)', async (wideEmoji) => {
  await fc.assert(
    fc.asyncProperty(
      size,
      fc.array(fc.array(hostileItem, { minLength: 1, maxLength: 12 }), {
        minLength: 1,
        maxLength: 3,
      }),
      async ({ columns, rows }, lists) => {
        const terminal = new VirtualTerminal(columns, rows, { wideEmoji });
        const store = new TodoStore();
        const clock = new FakeClock();
        const panel = new TaskPanel({ store, stream: terminal, env: {}, clock });
        panel.write('above\n$ ');
        const modes = JSON.stringify(terminal.modes);
        for (const list of lists) {
          store.update(list);
          clock.pass(1000);
        }
        const width = Math.min(columns - 1, 100);
        const [above, prompt, top, ...box] = await terminal.screen();
        expect([above, prompt]).toEqual(['above', '$']);
        expect(await terminal.cursor()).toEqual({ x: 2, y: 1 });
        expect(top).toMatch(/^┌─ Tasks ─+ \d+\/\d+ ─┐$/);
        expect(top).toHaveLength(width);
        expect(box.at(-1)).toBe(`└${'─'.repeat(width - 2)}┘`);
        for (let row = 0; row < box.length - 1; row++) {
          for (const x of [0, width - 1]) {
            expect(terminal.cell(x, row + 3)?.getChars()).toBe('│');
          }
          for (let x = width; x < columns; x++) {
            const characters = terminal.cell(x, row + 3)?.getChars() ?? '';
            expect(characters.trim()).toBe('');
          }
        }
        expect(JSON.stringify(terminal.modes)).toBe(modes);
        panel.dispose();
      },
    ),
    // Shrinking a failing case may take minutes, and time out.
    { numRuns: runs(60), interruptAfterTimeLimit: 60_000 },
  );
});
