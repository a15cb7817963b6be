import { expect, test } from 'vitest';
import { AgentsPanel } from '../../src/panel/agents-panel.ts';
import { renderAgents } from '../../src/panel/render-agents.ts';
import type { TodoState, TodoStatus } from '../../src/todo/todo-store.ts';
import { VirtualTerminal } from '../helpers/virtual-terminal.ts';

const ENV = { TERM: 'xterm', LANG: 'C.UTF-8' };

function listOf(...items: [content: string, status?: TodoStatus][]): TodoState {
  return {
    items: items.map(([content, status = 'pending']) => ({ content, activeForm: content, status })),
    updatedAt: new Date(0),
  };
}

const TWO_BOXES = [
  '┌─ Bob ───────────────────────── 1/1 ─┐',
  '│ ✓ Review                            │',
  '└─────────────────────────────────────┘',
  '┌─ main ──────────────────────── 0/2 ─┐',
  '│ ● Build...                          │',
  '│ ○ Ship                              │',
  '└─────────────────────────────────────┘',
];

function panelOfTwo(terminal: VirtualTerminal): AgentsPanel {
  const panel = new AgentsPanel(terminal, ENV);
  panel.show('main', listOf(['Build', 'in_progress'], ['Ship']));
  panel.show('idle', listOf());
  panel.show('Bob', listOf(['Review', 'completed']));
  return panel;
}

test('each agent has a box with its name, in the order of the names; who has no items has none', async () => {
  const terminal = new VirtualTerminal(40, 24);
  panelOfTwo(terminal);
  expect(await terminal.rowsBelowCursor()).toEqual(TWO_BOXES);
});

test('a change redraws the one box, and an agent whose list is cleared goes', async () => {
  const terminal = new VirtualTerminal(40, 24);
  const panel = panelOfTwo(terminal);
  panel.show('Bob', listOf(['Rest']));
  expect((await terminal.rowsBelowCursor())[1]).toBe('│ ○ Rest                              │');
  panel.show('Bob', listOf());
  expect(await terminal.rowsBelowCursor()).toEqual(TWO_BOXES.slice(3));
});

test('a resize draws all boxes anew', async () => {
  const terminal = new VirtualTerminal(60, 24);
  panelOfTwo(terminal);
  await terminal.resize(40, 24);
  expect(await terminal.rowsBelowCursor()).toEqual(TWO_BOXES);
});

test('other output stands above the boxes, and the last state stays', async () => {
  const terminal = new VirtualTerminal(40, 24);
  const panel = panelOfTwo(terminal);
  panel.write('hello\n');
  panel.dispose();
  expect(await terminal.screen()).toEqual(['hello', ...TWO_BOXES]);
  await terminal.resize(30, 24);
  expect((await terminal.cursor()).y).toBeGreaterThan(TWO_BOXES.length);
});

test('a name is text, whatever is in it, and is cut to the width of its box', () => {
  const lists = [{ agent: `\x1b[31mred${'x'.repeat(100)}`, state: listOf(['a']) }];
  const [frame = ''] = renderAgents(lists, { columns: 30 });
  expect(frame).toMatch(/^┌─ ␛\[31mredx+… ─*┐$/);
  expect(frame).toHaveLength(29);
});

test.each([3, 5, 8, 12, 24])(
  'on %d rows the boxes leave room, and who finds none is counted',
  (rows) => {
    const lists = Array.from({ length: 9 }, (_, index) => ({
      agent: `agent ${index}`,
      state: listOf(['a'], ['b'], ['c'], ['d']),
    }));
    const lines = renderAgents(lists, { columns: 40, rows });
    expect(lines.length).toBeLessThan(rows);
    const boxes = lines.filter((line) => line.startsWith('┌─ agent')).length;
    const [, hidden = '0'] = /^(\d+) more$/.exec(lines.at(-1) ?? '') ?? [];
    if (rows >= 5) expect(boxes + Number(hidden)).toBe(9);
  },
);

test('where there is no room for boxes the names stand above the items', () => {
  const lists = [{ agent: 'main', state: listOf(['Build'], ['Ship']) }];
  expect(renderAgents(lists, { columns: 20, rows: 24 })).toEqual(['main', '○ Build', '○ Ship']);
});
