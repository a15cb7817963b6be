import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputTail } from '../../../src/screen/terminal/output-tail.ts';
import { VirtualTerminal } from '../../helpers/virtual-terminal.ts';

const COLUMNS = 10;

/** How wide the last row of a terminal is that got the text: `字` takes two columns of it. */
async function lastRowWidth(text: string): Promise<number> {
  const terminal = new VirtualTerminal(COLUMNS, 100);
  terminal.write(text.replaceAll('\n', '\r\n'));
  const row = (await terminal.screen()).at(-1) ?? '';
  return row.length + row.split('字').length - 1;
}

test('the width of the last row is that of a terminal, where a wide character does not fit into the last column', async () => {
  const texts = fc.array(fc.constantFrom('ab', 'c', '字', '字字', '12345', '\n\\'), {
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(texts, async (parts) => {
      const tail = new OutputTail();
      for (const part of parts) tail.push(part, COLUMNS);
      expect(tail.filled).toBe(await lastRowWidth(parts.join('')));
    }),
    { examples: [[['12345', 'ab', 'ab', '字']], [['12345', '12345']]] },
  );
});

test.each([
  ['', true],
  ['0', true],
  ['1', false],
  ['2', false],
])('the last character of a full row comes back after erasing by \\e[%sK: %s', (how, comes) => {
  const tail = new OutputTail();
  tail.push(`${'x'.repeat(COLUMNS)}\x1b[${how}K`, COLUMNS);
  expect(tail.isFull(COLUMNS)).toBe(comes);
});

test.each([
  ['', '', '\x1b[10Gx'],
  ['\x1b[31m', '', '\x1b[10Gx'],
  ['\x1b[31m', '\x1b[0m', '\x1b[10G\x1b[0m\x1b[31mx\x1b[0m'],
  ['\x1b[31m', '\x1b[1m', '\x1b[10G\x1b[0m\x1b[31mx\x1b[0m\x1b[31m\x1b[1m'],
])(
  'the last character of a full row comes back in its own colours, %j, and those since, %j, go on',
  (its, since, refill) => {
    const tail = new OutputTail();
    tail.push(`${its}${'x'.repeat(COLUMNS)}${since}`, COLUMNS);
    expect(tail.refill(COLUMNS)).toBe(refill);
  },
);

test('after a row that a narrower terminal may have wrapped, nothing is sure until the next row', () => {
  const tail = new OutputTail();
  tail.push('x'.repeat(8), COLUMNS);
  expect(tail.isLastColumnFree(COLUMNS)).toBe(true);
  tail.resize(9);
  expect(tail.isLastColumnFree(COLUMNS)).toBe(true);
  tail.resize(7);
  expect(tail.isLastColumnFree(COLUMNS)).toBe(false);
  tail.push('\n', COLUMNS);
  expect(tail.isLastColumnFree(COLUMNS)).toBe(true);
});
