import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TaskPanel } from '../../src/panel/task-panel.ts';
import { Screen } from '../../src/terminal/screen.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { runs } from '../helpers/random.ts';
import { VirtualTerminal } from '../helpers/virtual-terminal.ts';
import { FakeClock } from '../terminal/fake-clock.ts';

/** Sequences as terminals read them, whole or cut short: CSI, strings such as titles and links, and shorter escapes. */
const sequence = fc.oneof(
  fc.stringMatching(/^(?:\x1b\[|\x9b)[?!>]?(?:\d{1,4}(?:;\d{1,2})?)?[@-~]?$/),
  fc.stringMatching(
    /^(?:\x1b[\]P_^X]|[\x90\x98\x9d\x9e\x9f])[\d;a-zA-Z:?=/]{0,12}(?:\x07|\x1b\\|\x9c)?$/,
  ),
  fc.stringMatching(/^\x1b(?:[()#%] ?)?[ -~]?$/),
  fc.constantFrom(
    ...['\x1b[2J', '\x1b[H', '\x1b[3;5r', '\x1b[?1049h', '\x1b[?2026h', '\x1b[6n', '\x1bc'],
  ),
);

/** Controls, and what changes how the characters beside it look. */
const odd = fc.constantFrom(
  ...'\x00\x07\b\t\n\v\f\r\x0e\x0f\x18\x1a\x7f\x84\x85\x88\x8d\x9c\u2028\ufeff\u{e0041}',
  ...'\u202e\u2066\u200f\u061c\u200d\ufe0f\ufe0e\u20e3\u1161\u0e33你好',
  ...['\ud800', '\udc00', '\u0301'.repeat(50), '❤️', '👩‍👩‍👧', '🇩🇪', '👍🏽', '1️⃣'],
);

const hostile = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: sequence },
      { weight: 2, arbitrary: odd },
      fc.stringMatching(/^[a-z ]{1,12}$/),
      fc.string({ unit: anyCharacter, maxLength: 10 }),
      fc
        .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
        .map((units) => String.fromCharCode(...units)),
    ),
    { minLength: 1, maxLength: 10 },
  )
  .map((parts) => parts.join(''));

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

const PANEL = ['┌─ Tasks ─ 1/2 ─┐', '│ ✓ Build       │', '└───────────────┘'];

test('below any output, the panel is whole and there once, and the terminal is restored', async () => {
  await fc.assert(
    fc.asyncProperty(
      size,
      fc.array(hostile, { maxLength: 6 }),
      async ({ columns, rows }, chunks) => {
        const terminal = new VirtualTerminal(columns, rows);
        const modes = JSON.stringify(terminal.modes);
        const screen = new Screen(terminal);
        screen.setPanel(PANEL);
        for (const chunk of chunks) screen.writeOutput(chunk);
        screen.endCommand();
        screen.startLine();
        expect(await terminal.rowsBelowCursor()).toEqual(PANEL);
        expect((await terminal.linesToCursor()).join('\n')).not.toContain('Tasks');
        expect(JSON.stringify(terminal.modes)).toBe(modes);
        screen.writeOutput('plain');
        expect((await terminal.linesToCursor()).at(-1)).toBe('plain');
        const { x, y } = await terminal.cursor();
        expect(terminal.cell(x - 1, y)?.isAttributeDefault()).toBe(true);
      },
    ),
    LIMITS,
  );
});
