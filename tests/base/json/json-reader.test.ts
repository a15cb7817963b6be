import { expect, test } from 'vitest';
import { readJson } from '../../../src/base/json/json-reader.ts';

/** Undefined if the forgiving reader refuses the text. */
function valueIn(text: string): unknown {
  const reading = readJson(text);
  return 'value' in reading ? reading.value : undefined;
}

test.each<[string, unknown]>([
  // Byte-order marks and code fences around the whole.
  ['\ufeff{}', {}],
  ['{"a":"\ufeff"}', { a: '\ufeff' }],
  ...['```json\n{}\n```', '```\n{}\n```', '```{}```', '\n ```JSON\n{}```\n'].map(read({})),
  ...['```json\n{}', '{}\n```', '```', '````', '``{}``'].map(read(undefined)),
  ['{"a":"```"}', { a: '```' }],
  // Shell escapes in strings.
  ['"Ship it\\!"', 'Ship it!'],
  ['"Don\\\'t \\`b\\` \\$5"', "Don't `b` $5"],
  ...['"\\\\\\!"', '"\\\\!"'].map(read('\\!')),
  ...['"\\q"', '\\!', '["a"]\\$'].map(read(undefined)),
  // Raw line breaks and tabs in strings, but not right after an escaping backslash.
  ['{\n\t"a\tb":\r\n"c\r\nd"}', { 'a\tb': 'c\r\nd' }],
  ['"\\\\\n"', '\\\n'],
  ...['"a\\\nb"', '"\\\t\n"'].map(read(undefined)),
  // Blanks that only look like those of JSON, outside of strings.
  ['\u200b{\xa0"a":\u3000[1,\u20282]}\ufeff', { a: [1, 2] }],
  ['["\xa0\u200b"]', ['\xa0\u200b']],
  // A comma after the last value.
  ['["a", \n]', ['a']],
  ['[[],true,]', [[], true]],
  ['[{"a":{},},]', [{ a: {} }]],
  ['{"a":"b",}', { a: 'b' }],
  ['[",]"]', [',]']],
  ['["a",\xa0]', ['a']],
  ...'[,]|{,}|[1,,]|[ , ]|{"a":,}|,]|[1],|[1,'.split('|').map(read(undefined)),
])('a slip with only one meaning is corrected, others are refused: %j', (text, value) => {
  expect(valueIn(text)).toEqual(value);
});

function read(value: unknown) {
  return (text: string): [string, unknown] => [text, value];
}
