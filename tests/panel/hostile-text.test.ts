import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TaskPanel } from '../../src/panel/task-panel.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { hostile } from '../helpers/hostile-text.ts';
import { runs } from '../helpers/random.ts';
import { VirtualTerminal } from '../helpers/virtual-terminal.ts';
import { FakeClock } from '../terminal/fake-clock.ts';

const item = fc.record({
  content: hostile,
  activeForm: hostile,
  status: fc.constantFrom('completed' as const, 'in_progress' as const, 'pending' as const),
});

/** Shrinking a failing case may take minutes, and time out. */
const LIMITS = { numRuns: runs(60), interruptAfterTimeLimit: 60_000 };

const size = fc.record({
  columns: fc.integer({ min: 24, max: 90 }),
  rows: fc.integer({ min: 8, max: 24 }),
});

test.each([true, false])(
  'no text of a todo reaches the terminal as anything but text in its box (wide emoji: %s)',
  async (wideEmoji) => {
    await fc.assert(
      fc.asyncProperty(
        size,
        fc.array(fc.array(item, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
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
      LIMITS,
    );
  },
);
