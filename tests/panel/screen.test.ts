import { expect, test } from 'vitest';
import { Screen } from '../../src/panel/screen.ts';
import { VirtualTerminal } from '../helpers/virtual-terminal.ts';

const PANEL = ['┌─ Tasks ──┐', '│ ✓ Build  │', '└──────────┘'];

async function shown(columns: number, rows: number, use: (screen: Screen) => void) {
  const stream = new VirtualTerminal(columns, rows);
  use(new Screen(stream));
  return { stream, rows: await stream.screen() };
}

test('output goes on where it ended, above the panel', async () => {
  const { rows } = await shown(40, 10, (screen) => {
    screen.setPanel(PANEL);
    screen.writeOutput('one\nhalf of');
    screen.writeOutput(' two\n');
  });
  expect(rows).toEqual(['one', 'half of two', '', ...PANEL].filter((row) => row !== ''));
});

test('without a panel nothing but the output is written', () => {
  const stream = new VirtualTerminal();
  const screen = new Screen(stream);
  screen.writeOutput('one\n');
  screen.endCommand();
  screen.startLine();
  screen.redraw();
  screen.close();
  expect(stream.writes.join('')).toBe('one\r\n');
});

test('equal rows write nothing', () => {
  const stream = new VirtualTerminal();
  const screen = new Screen(stream);
  screen.setPanel(PANEL);
  const { length } = stream.writes;
  screen.setPanel([...PANEL]);
  expect(stream.writes).toHaveLength(length);
});
