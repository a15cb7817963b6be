import { expect, test } from 'vitest';
import { FRAME_REPAIRS, TEXT_REPAIRS } from '../../src/json/json-reader.ts';

function repair(note: string): (text: string) => string {
  const found = [...FRAME_REPAIRS, ...TEXT_REPAIRS].filter((each) => each.note.includes(note));
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`no such repair: ${note}`);
  return (text) => (only.sign.test(text) ? only.mend(text) : text);
}

const dropByteOrderMark = repair('byte-order mark');
const dropCodeFence = repair('code fence');
const dropShellEscapes = repair('no such escapes');
const escapeLineBreaksAndTabs = repair('line break');
const dropTrailingCommas = repair('trailing comma');

test('a byte-order mark becomes a blank, only where it is the first character', () => {
  expect(dropByteOrderMark('\ufeff{}')).toBe(' {}');
  expect(dropByteOrderMark('{"a":"\ufeff"}')).toBe('{"a":"\ufeff"}');
});

test.each([
  ['with a language', '```json\n{}\n```', '       \n{}\n'],
  ['without one', '```\n{}\n```', '   \n{}\n'],
  ['on one line', '```{}```', '   {}'],
  ['with blanks around it', '\n ```JSON\n{}```\n', '         \n{}'],
])('a code fence %s becomes blanks, so that positions stay true', (_, fenced, mended) => {
  expect(dropCodeFence(fenced).trimEnd()).toBe(mended.trimEnd());
});

test.each(['```json\n{}', '{}\n```', '```', '````', '{"a":"```"}', '``{}``'])(
  'half a code fence stays as it is: %j',
  (text) => {
    expect(dropCodeFence(text)).toBe(text);
  },
);

test.each([
  ['"Ship it\\!"', '"Ship it!"'],
  [`"Don\\'t"`, `"Don't"`],
  ['"a \\`b\\` c"', '"a `b` c"'],
  ['"\\$5"', '"$5"'],
  ['"\\\\\\!"', '"\\\\!"'],
  // Other text of a string is unchanged.
  ...['"\\\\!"', '"\\n\\"\\u0041"', '"\\q"', '\\!', '["a"]\\$'].map((text) => [text, text]),
])('a shell escape in a string means the character: %s', (text, mended) => {
  expect(dropShellEscapes(text as string)).toBe(mended);
});

test.each([
  ['{\n\t"a\tb":\r\n"c\r\nd"}', '{\n\t"a\\tb":\r\n"c\\r\\nd"}'],
  // Right after an escaping backslash it stays.
  ['"a\\\nb"', '"a\\\nb"'],
  ['"\\\t\n"', '"\\\t\\n"'],
  ['"\\\\\n"', '"\\\\\\n"'],
])(
  'a raw line break or tab in a string is escaped, outside strings it stays: %j',
  (text, mended) => {
    expect(escapeLineBreaksAndTabs(text)).toBe(mended);
  },
);

test.each([
  ['[1,]', '[1 ]'],
  ['["a",]', '["a" ]'],
  ['[true , \n]', '[true   \n]'],
  ['[[],]', '[[] ]'],
  ['{"a":{},}', '{"a":{} }'],
  ['{"a":"b",}', '{"a":"b" }'],
  ['[{"a":1,},]', '[{"a":1 } ]'],
  // It stays an error where it follows no value, or ends nothing.
  ...'[,]|{,}|[1,,]|[ , ]|{"a":,}|,]|[",]"]|[1],|[1,'.split('|').map((text) => [text, text]),
])('a comma after the last value is dropped: %j', (text, mended) => {
  expect(dropTrailingCommas(text as string)).toBe(mended);
});
