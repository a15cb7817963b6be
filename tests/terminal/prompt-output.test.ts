import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PromptOutput } from '../../src/terminal/prompt-output.ts';
import { Screen } from '../../src/terminal/screen.ts';
import { VirtualTerminal } from '../helpers/virtual-terminal.ts';

const PANEL = ['┌─ Tasks ┐', '└────────┘'];
const KEYS = { left: '\x1b[D', home: '\x01', end: '\x05', backspace: '\x7f', clear: '\f' };

function start(columns = 20, rows = 12) {
  const terminal = new VirtualTerminal(columns, rows);
  const screen = new Screen(terminal);
  const output = new PromptOutput(screen);
  const input = new PassThrough();
  const editor = createInterface({ input, output, terminal: true, prompt: '$ ' });
  output.editor = editor;
  screen.setPanel(PANEL);
  editor.prompt();
  const type = async (keys: string) => {
    input.write(keys);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { terminal, screen, output, editor, type };
}

test('the panel is below the prompt while a line is typed, edited and entered', async () => {
  const { terminal, type, editor } = start();
  await type('ecko');
  await type(KEYS.left + KEYS.backspace);
  await type('h');
  expect(await terminal.screen()).toEqual(['$ echo', ...PANEL]);
  expect(await terminal.cursor()).toEqual({ x: 5, y: 0 });
  await type('\r');
  expect(await terminal.screen()).toEqual(['$ echo', '', ...PANEL]);
  editor.close();
});

test('the panel is below an input of several rows, wherever the cursor is in it', async () => {
  const { terminal, type, editor } = start();
  await type('abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ');
  const rows = ['$ abcdefghijklmnopqr', 'stuvwxyz0123456789AB', 'CDEFGHIJ'];
  expect(await terminal.screen()).toEqual([...rows, ...PANEL]);
  await type(KEYS.home);
  expect(await terminal.screen()).toEqual([...rows, ...PANEL]);
  expect(await terminal.cursor()).toEqual({ x: 2, y: 0 });
  await type(KEYS.end + KEYS.backspace.repeat(30));
  expect(await terminal.screen()).toEqual(['$ abcdefghijklmnop', ...PANEL]);
  editor.close();
});

test('a cleared screen has prompt and panel once', async () => {
  const { terminal, type, screen, editor } = start();
  screen.writePrompt('\r\n');
  editor.prompt();
  await type('x');
  await type(KEYS.clear);
  expect(await terminal.screen()).toEqual(['$ x', ...PANEL]);
  editor.close();
});

test('a resize keeps prompt, input and panel', async () => {
  const { terminal, type, screen, output, editor } = start();
  await type('echo hello');
  for (const [columns, rows] of [
    [15, 6],
    [40, 12],
  ] as const) {
    await terminal.resize(columns, rows);
    screen.redraw();
    output.resize();
    expect(await terminal.screen()).toEqual(['$ echo hello', ...PANEL]);
  }
  editor.close();
});

test('whatever is typed, there is one panel, and it is below the input', async () => {
  const keys = fc.oneof(
    fc.stringMatching(/^[a-z ]{1,25}$/),
    fc.constantFrom(...Object.values(KEYS), '\x1b[C', '\x17', '\x15', '\x1bb', '\x19', '你', '\r'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(keys, { maxLength: 15 }), async (all) => {
      const { terminal, type, editor } = start(12, 14);
      editor.on('line', () => editor.prompt());
      for (const key of all) await type(key);
      const shown = [...(await terminal.scrollback()), ...(await terminal.screen())];
      expect(shown.filter((row) => row.includes('Tasks'))).toHaveLength(1);
      expect(shown.slice(-2)).toEqual(PANEL);
      editor.close();
    }),
    { numRuns: 100 },
  );
});
