import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputFilter } from '../../../src/screen/terminal/output-filter.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { runs } from '../../helpers/random.ts';

function filtered(...chunks: (string | Uint8Array)[]): string {
  const filter = new OutputFilter();
  return chunks.map((chunk) => filter.push(chunk)).join('') + filter.end();
}

test.each([
  ['text', 'a\tb\x07\b\rc é 你 👍'],
  ['colours and erasing in the line', '\x1b[1;31mred\x1b[0m\x1b[38:5:1m\x1b[m\x1b[K\x1b[2K'],
  ['a line, with a carriage return', 'a\nb\r\n', 'a\r\nb\r\r\n'],
  // Each way to clear the screen becomes one that every terminal knows.
  ['a clear of all', '\x1b[H\x1b[2J\x1b[3J'],
  ['a clear from the top', '\x1b[H\x1b[J', '\x1b[H\x1b[2J'],
  ['a clear from the first cell', '\x1b[1;1H\x1b[0J', '\x1b[H\x1b[2J'],
  ['a clear alone', '\x1b[2J', '\x1b[H\x1b[2J'],
  ['a control in a sequence, which it ends', '\x1b[3\nred', '\r\nred'],
  ['text that begins like a sequence, but for the escape', '\x1b[31你', '你'],
  ['a sequence after an escape', '\x1b\x1b[31mred', '\x1b[31mred'],
])('%s passes', (_, output, shown = output) => {
  expect(filtered(output)).toBe(shown);
});

test.each([
  ['cursor movement', '\x1b[5;5H\x1b[2A\x1b[G\x1b[s\x1b[u\x1b7\x1b8\x1bM\x1bD\x1bE'],
  ['scroll regions and scrolling', '\x1b[2;5r\x1b[3S\x1b[3T\x1b[L\x1b[M\x1b[@\x1b[P\x1b[X'],
  ['modes', '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[4h\x1b=\x1b>\x1b[>4;2m\x1b[?4m'],
  ['queries', '\x1b[6n\x1b[c\x1b[>q\x1bZ\x05'],
  ['titles, links and the clipboard', '\x1b]0;t\x07\x1b]52;c;YQ==\x1b\\\x1b]8;;http://x\x1b\\'],
  ['device control and other strings', '\x1bPq#0\x1b\\\x1b_a\x1b\\\x1b^p\x1b\\\x1bXs\x1b\\'],
  ['character sets', '\x1b(0\x1b)B\x0e\x0f\x1b%G\x1b#8'],
  ['resets', '\x1bc\x1b[!p'],
  ['C1 controls', '\x9b5A\x9d0;t\x9c\x90q\x9c\x84\x85\x8d\x98s\x9c'],
  ['other controls', '\x00\x01\v\f\x7f\x18\x1a'],
  ['erasing above and below without a clear', '\x1b[J\x1b[1J\x1b[A\x1b[J'],
  ['erasing in the line of another kind', '\x1b[?K\x1b[3K\x1b[0;1K'],
])('%s are dropped', (_, sequence) => {
  expect(filtered(`a${sequence}b`)).toBe('ab');
});

test('erasing below a text at the top of the screen is no clear, however they are split', () => {
  expect(filtered('\x1b[Htext\x1b[J')).toBe('text');
  expect(filtered('\x1b[Htext', '\x1b[J')).toBe('text');
  expect(filtered('\x1b[H', '\x1b[J')).toBe('\x1b[H\x1b[2J');
});

test("a command's incomplete sequence swallows nothing of the next one", () => {
  const filter = new OutputFilter();
  expect(filter.push('a\x1b]0;title without end')).toBe('a');
  filter.end();
  expect(filter.push('next')).toBe('next');
});

test('invalid UTF-8 becomes the replacement character, also at the end', () => {
  expect(filtered(Uint8Array.of(0x61, 0xff, 0x62))).toBe('a\ufffdb');
  expect(filtered(Uint8Array.of(0x61, 0xe4, 0xbd))).toBe('a\ufffd');
});

test('a sequence without end takes no memory', () => {
  const filter = new OutputFilter();
  filter.push('\x1b[');
  for (let i = 0; i < 1000; i++) filter.push('1'.repeat(1000));
  expect(filter.push('mafter')).toBe('after');
});

test('how the bytes are split makes no difference, and nothing else gets through', () => {
  const piece = fc.oneof(
    fc.constantFrom(...'\x1b[]?0;mHJK2\x07\\\n你\x9b('),
    fc.string({ unit: anyCharacter, maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.array(fc.nat(60)), (pieces, cuts) => {
      const bytes = new TextEncoder().encode(pieces.join(''));
      const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].sort(
        (a, b) => a - b,
      );
      const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      const result = filtered(...chunks);
      expect(result).toBe(filtered(bytes));
      const rest = result.replace(/\x1b\[([\d;:]*m|[012]?K|H\x1b\[2J|3J)/g, '');
      expect(rest).not.toMatch(/[\x00-\x06\x0b\x0c\x0e-\x1f\x7f-\x9f]/);
    }),
    { numRuns: runs(600) },
  );
});
