import fc from 'fast-check';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { anyCharacter } from './any-character.ts';

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
  ...'\u202e\u2066\u200f\u061c\u200d\ufe0f\ufe0e\u20e3\u1161\u0e33\u200b\u00ad你好ｱ한…',
  ...['\ud800', '\udc00', '\u0301'.repeat(50), '❤️', '👩‍👩‍👧', '🇩🇪', '👍🏽', '1️⃣'],
  ...['e\u0301', '\u1100\u1161\u11a8', 'नि'],
);

export const hostile = fc
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

export const hostileItem: fc.Arbitrary<TodoItem> = fc.record({
  content: hostile,
  activeForm: hostile,
  status: fc.constantFrom('completed', 'in_progress', 'pending'),
});
