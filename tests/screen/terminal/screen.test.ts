import { expect, test } from 'vitest';
import { Screen } from '../../../src/screen/terminal/screen.ts';
import { VirtualTerminal } from '../../helpers/virtual-terminal.ts';

const PANEL = ['┌─ Tasks ──┐', '│ ✓ Build  │', '└──────────┘'];

function start(columns = 40, rows = 10) {
  const terminal = new VirtualTerminal(columns, rows);
  const screen = new Screen(terminal);
  screen.setPanel(PANEL);
  return { terminal, screen };
}

test('without a panel nothing but the output is written', () => {
  const terminal = new VirtualTerminal();
  const screen = new Screen(terminal);
  screen.writeOutput('one\n');
  screen.endCommand();
  screen.startLine();
  screen.hide();
  screen.redraw();
  screen.close();
  expect(terminal.writes.join('')).toBe('one\r\n');
});

test('unfiltered output passes byte for byte', () => {
  const terminal = new VirtualTerminal();
  const screen = new Screen(terminal, { filters: false });
  screen.writeOutput('\x1b[2Jone\n');
  for (const text of ['half', '\t']) {
    screen.writeOutput(text);
    screen.startLine();
    screen.startLine();
  }
  expect(terminal.writes.join('')).toBe('\x1b[2Jone\nhalf\n\t\n');
});

test('equal rows write nothing', () => {
  const { terminal, screen } = start();
  const { length } = terminal.writes;
  screen.setPanel([...PANEL]);
  expect(terminal.writes).toHaveLength(length);
});

test('each frame is one write, in synchronized output', () => {
  const { terminal, screen } = start();
  screen.writeOutput('one\n');
  screen.setPanel(PANEL.slice(1));
  screen.redraw();
  expect(terminal.writes).toHaveLength(4);
  for (const write of terminal.writes) expect(write).toMatch(/^\x1b\[\?2026h.*\x1b\[\?2026l$/s);
});

test('colours that a command leaves on go on with it, stay out of the panel, and end with it', async () => {
  const { terminal, screen } = start();
  screen.writeOutput('\x1b[31;44mred');
  screen.writeOutput(' more');
  await terminal.settle();
  expect(terminal.cell(5, 0)?.getFgColor()).toBe(1);
  expect(terminal.cell(2, 1)?.isAttributeDefault()).toBe(true);
  expect(terminal.cell(20, 2)?.isAttributeDefault()).toBe(true);
  screen.endCommand();
  screen.writeOutput(' plain');
  await terminal.settle();
  expect(terminal.cell(10, 0)?.isAttributeDefault()).toBe(true);
});

test('a hidden panel is off the screen until it is drawn again', async () => {
  const { terminal, screen } = start(40, 5);
  screen.writeOutput('one\n');
  screen.hide();
  screen.setPanel(PANEL.slice(1));
  expect(await terminal.screen()).toEqual(['one']);
  screen.redraw();
  expect(await terminal.screen()).toEqual(['one', '', ...PANEL.slice(1)]);
  screen.setPanel(['panel']);
  screen.writeOutput('two\nthree\nfour');
  screen.hide();
  expect(await terminal.screen()).toEqual(['one', 'two', 'three', 'four']);
});

test('on closing the panel becomes text, with the cursor below it', async () => {
  const { terminal, screen } = start();
  screen.writeOutput('half a line');
  screen.close();
  screen.close();
  expect(await terminal.screen()).toEqual(['half a line', ...PANEL]);
  expect(await terminal.cursor()).toEqual({ x: 0, y: 4 });
});

test.each([
  ['wider', 40, 80],
  ['narrower', 80, 40],
])('frames drawn before a %s terminal is known leave no trace', async (_, from, to) => {
  const terminal = new VirtualTerminal(from, 12);
  const stream = {
    columns: from,
    rows: 12,
    write: (chunk: string | Uint8Array) => terminal.write(chunk),
  };
  const screen = new Screen(stream);
  screen.setPanel(PANEL);
  screen.writeOutput('one\n');
  await terminal.resize(to, 12);
  screen.writeOutput('two\nthree\n');
  screen.setPanel(PANEL.slice(1));
  stream.columns = to;
  screen.redraw(PANEL);
  expect(await terminal.screen()).toEqual(['one', 'two', 'three', '', ...PANEL]);
});

test('a terminal that keeps its cursor may have rows that are lines of their own', async () => {
  const terminal = new VirtualTerminal(40, 10);
  const screen = new Screen(terminal, { wrapsRows: false });
  screen.setPanel(PANEL);
  screen.writeOutput('one\n');
  const next = ['┌─ Tasks ──┐', '│ ✓ Ship   │', '└──────────┘'];
  screen.setPanel(next);
  expect(await terminal.screen()).toEqual(['one', '', ...next]);
});

test('a row that is as wide as the narrowed screen goes on in the next one', async () => {
  const { terminal, screen } = start();
  screen.writeOutput('abcdefghijklm');
  await terminal.resize(13, 10);
  screen.redraw();
  screen.writeOutput('next');
  expect(await terminal.screen()).toEqual(['abcdefghijklm', 'next', ...PANEL]);
});
