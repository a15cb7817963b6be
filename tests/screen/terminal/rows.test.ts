import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedRows, pinned, repinned, wholeRow } from '../../../src/screen/terminal/rows.ts';
import { runs } from '../../helpers/random.ts';
import { VirtualTerminal } from '../../helpers/virtual-terminal.ts';

const DIM = (text: string) => `\x1b[2m${text}\x1b[22m`;

const cells = fc.constantFrom(
  ...['│ one   │', '│ two   │', '│ three │', '│ 你好  │', '│ 👍    │', 'bare'],
  ...[`│ ${DIM('one')}   │`, `${DIM('│')} 你好  ${DIM('│')}`],
);
const panels = fc.integer({ min: 1, max: 8 }).chain((height) => {
  const rows = fc.array(cells, { minLength: height, maxLength: height });
  return fc.tuple(rows, rows);
});

test('writing the changed rows gives the same cells as writing all', async () => {
  await fc.assert(
    fc.asyncProperty(panels, async ([before, after]) => {
      const [updated, fresh] = [new VirtualTerminal(12, 12), new VirtualTerminal(12, 12)];
      updated.write(`\r\n${before.map(wholeRow).join('\r\n')}\x1b[H`);
      updated.write(changedRows(before, after));
      fresh.write(`\r\n${after.map(wholeRow).join('\r\n')}`);
      expect(await updated.screen()).toEqual(await fresh.screen());
      for (let y = 0; y <= after.length; y++) {
        for (let x = 0; x < 12; x++) {
          expect(updated.cell(x, y)?.isDim()).toBe(fresh.cell(x, y)?.isDim());
        }
      }
    }),
    { numRuns: runs(80) },
  );
});

test('nothing is pinned without rows, or without room', () => {
  expect([pinned([], 24), pinned(['a', 'b'], 3)]).toEqual(['', '']);
  expect(pinned(['a', 'b'], 4)).toContain('b');
});

test('more rows in place of pinned ones move the text above them up', async () => {
  const terminal = new VirtualTerminal(12, 5);
  terminal.write(`${pinned(['one', 'two'], 5)}a\r\nb\r\nhalf`);
  terminal.write(`${repinned(['one', 'two', 'three'], 5)}!`);
  expect(await terminal.screen()).toEqual(['b', 'half!', 'one', 'two', 'three']);
});

test.each([
  ['as many rows', ['one', 'TWO'], ['half of', 'a line', '', 'one', 'TWO']],
  ['fewer', ['ONE'], ['half of', 'a line', '', '', 'ONE']],
  ['more', ['one', 'two', 'THREE'], ['half of', 'a line', 'one', 'two', 'THREE']],
  ['none', [], ['half of', 'a line']],
])(
  '%s in place of pinned ones leave what is typed, also below the cursor',
  async (_, rows, shown) => {
    const terminal = new VirtualTerminal(12, 5);
    terminal.write(`${pinned(['one', 'two'], 5)}half of\r\na line\x1b[A`);
    terminal.write(repinned(rows, 5));
    expect(await terminal.screen()).toEqual(shown);
    terminal.write('!');
    expect((await terminal.screen())[0]).toBe('half o!');
  },
);
