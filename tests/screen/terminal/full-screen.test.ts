import { expect, test, vi } from 'vitest';
import { FullScreen } from '../../../src/screen/terminal/full-screen.ts';
import { VirtualTerminal } from '../../helpers/virtual-terminal.ts';

function start(columns = 20, rows = 5) {
  const terminal = new VirtualTerminal(columns, rows);
  terminal.write('$ before\r\n');
  const screen = new FullScreen(terminal);
  screen.enter();
  terminal.writes.length = 0;
  return { terminal, screen };
}

test('a frame is one write, and the same frame again none', async () => {
  const { terminal, screen } = start();
  screen.show({ rows: ['one', 'two'], title: 'a title' });
  screen.show({ rows: ['one', 'two'] });
  expect(terminal.writes).toHaveLength(1);
  expect(screen.isBehind).toBe(false);
  expect(await terminal.screen()).toEqual(['one', 'two']);
});

test('only the rows that have changed are written, all at once where the terminal can', async () => {
  const { terminal, screen } = start();
  screen.show({ rows: ['one', 'two', 'three'] });
  screen.show({ rows: ['one', '2', 'three'] });
  expect(terminal.writes[1]).toMatch(/^\x1b\[\?2026h.*2.*\x1b\[\?2026l$/s);
  expect(terminal.writes[1]).not.toMatch(/one|three/);
  expect(await terminal.screen()).toEqual(['one', '2', 'three']);
});

test('a terminal that does not know its size has 80 columns and 24 rows', () => {
  const { columns, rows } = new FullScreen({ columns: 0, rows: 0, write: () => true });
  expect([columns, rows]).toEqual([80, 24]);
});

test('a shorter frame leaves nothing of the longer one', async () => {
  const { terminal, screen } = start();
  screen.show({ rows: ['a long row', 'two', 'three'] });
  screen.show({ rows: ['short'] });
  expect(await terminal.screen()).toEqual(['short']);
});

test('after a resize all is drawn again, and nothing else is there', async () => {
  const { terminal, screen } = start();
  for (const columns of [10, 40, 5]) {
    screen.show({ rows: ['one', 'two', 'three', 'four', 'five'] });
    await terminal.resize(columns, Math.ceil(columns / 5) + 1);
    screen.forget();
    screen.show({ rows: ['x', 'y'] });
    expect(await terminal.screen()).toEqual(['x', 'y']);
  }
});

test('a row that the terminal thinks is wider moves no other row', async () => {
  const { terminal, screen } = start(8, 3);
  screen.show({ rows: ['much wider than that', 'two'] });
  expect((await terminal.screen())[1]).toBe('two');
});

test('the cursor is hidden unless it is asked for', async () => {
  const { terminal, screen } = start();
  screen.show({ rows: ['name: '], cursor: { x: 6, y: 0 } });
  expect(await terminal.cursor()).toEqual({ x: 6, y: 0 });
  expect(terminal.writes.at(-1)).toMatch(/\x1b\[\?25h\x1b\[\?2026l$/);
  screen.show({ rows: ['name: '] });
  expect(terminal.writes.at(-1)).toMatch(/\x1b\[\?25l/);
});

test('leaving restores the previous screen', async () => {
  const { terminal, screen } = start();
  screen.show({ rows: ['one', 'two'] });
  screen.leave();
  expect(await terminal.screen()).toEqual(['$ before']);
  expect(terminal.modes.bracketedPasteMode).toBe(false);
  expect(terminal.modes.wraparoundMode).toBe(true);
});

test('nothing is shown on the previous screen: a stopped program may draw before it knows that it goes on', async () => {
  const { terminal, screen } = start();
  screen.show({ rows: ['one', 'two'] });
  screen.leave();
  screen.show({ rows: ['one', '2'] });
  expect(await terminal.screen()).toEqual(['$ before']);
  screen.enter();
  screen.show({ rows: ['one', '2'] });
  expect(await terminal.screen()).toEqual(['one', '2']);
});

test('a terminal that nobody reads blocks nothing, and gets the latest frame once it is read', () => {
  const writes: string[] = [];
  let drained = () => {};
  const stream = {
    _handle: { setBlocking: vi.fn() },
    write: (chunk: string | Uint8Array) => writes.push(String(chunk)) < 0,
    once: (_: 'drain', listener: () => void) => {
      drained = listener;
    },
  };
  const screen = new FullScreen(stream);
  expect(stream._handle.setBlocking).toHaveBeenCalledWith(false);
  for (const row of ['one', 'two', 'three']) screen.show({ rows: [row] });
  expect(writes).toHaveLength(1);
  drained();
  expect(writes.slice(1)).toEqual([expect.stringMatching(/^(?!.*two).*three/s)]);
});
