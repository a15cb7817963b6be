import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findJsonProblem } from '../../../src/base/json/json-problem.ts';
import { describeProblem, readJson } from '../../../src/base/json/json-reader.ts';
import { orElse } from '../../../src/base/system/files.ts';
import { runs } from '../../helpers/random.ts';

function problemOf(text: string): string | undefined {
  const problem = findJsonProblem(text);
  return problem && describeProblem(text, problem);
}

const ESCAPE = 'unknown escape in a string; a backslash itself is written \\\\';

test.each([
  ['', 'line 1, column 1: the text ends before the JSON is complete'],
  ['nope', 'line 1, column 1: expected a value, near nope'],
  ['{invalid}', 'line 1, column 2: expected a property name in double quotes, near {invalid}'],
  ['{"a" 1}', `line 1, column 6: expected ':' after the property name, near {"a" 1}`],
  ['{"a":}', 'line 1, column 6: expected a value, near {"a":}'],
  ['{"a":1 "b":2}', `line 1, column 8: expected ',' or '}', near {"a":1 "b":2}`],
  ['[1 2]', `line 1, column 4: expected ',' or ']', near [1 2]`],
  ['[,]', 'line 1, column 2: expected a value, near [,]'],
  [
    '{“a”:1}',
    'line 1, column 2: expected a property name in double quotes; write curly quotes as ", near {“a”:1}',
  ],
  ['{"a":“b”}', 'line 1, column 6: expected a value; write curly quotes as ", near {"a":“b”}'],
  ['{,}', 'line 1, column 2: expected a property name in double quotes, near {,}'],
  ['[01]', 'line 1, column 2: expected a value, near [01]'],
  ['[] []', 'line 1, column 4: unexpected text after the end of the JSON, near [] []'],
  ['[1', 'line 1, column 3: the text ends before the JSON is complete, near [1'],
  ['["a', 'line 1, column 2: the string that begins here is never closed, near ["a'],
  ['["\\q"]', `line 1, column 3: ${ESCAPE}, near ["\\q"]`],
  ['["\\u12"]', `line 1, column 3: ${ESCAPE}, near ["\\u12"]`],
  ['["a\\\nb"]', `line 1, column 4: ${ESCAPE}, near ["a\\ b"]`],
  [
    '["a\x1bb"]',
    'line 1, column 4: a control character in a string must be written as \\u and four digits, near ["a␛b"]',
  ],
  ['{"a":1,"a":2}', 'line 1, column 8: duplicate property, near {"a":1,"a":2}'],
  ['{"a":1,"\\u0061":2}', 'line 1, column 8: duplicate property, near {"a":1,"\\u0061":2}'],
  // Lines and columns count from 1, columns in code points.
  ['\nx', 'line 2, column 1: expected a value, near  x'],
  ['["😀"\n,"😀" x]', `line 2, column 6: expected ',' or ']', near ["😀" ,"😀" x]`],
  // The text around the place is cut and made safe.
  [
    `["${'a'.repeat(30)}\u202e" x${'b'.repeat(30)}]`,
    `line 1, column 36: expected ',' or ']', near ...${'a'.repeat(13)}" x${'b'.repeat(23)}...`,
  ],
  // Corrected slips are skipped.
  ['["\\!\n",] x', 'line 2, column 5: unexpected text after the end of the JSON, near ["\\! ",] x'],
])('the error for %j names the place of the first problem', (text, expected) => {
  expect(problemOf(text)).toBe(expected);
});

test('the cut never splits a surrogate pair', () => {
  for (const shift of ['', ' ']) {
    expect(problemOf(`["${'😀'.repeat(30)}"${shift}😀${'😀'.repeat(30)}`)).not.toContain('\ufffd');
  }
});

test.each([
  ['an early end', '[{"a":', 'cut'],
  ['an open string', '["a', 'cut'],
  ['bare keys', '[{content: 1}]', 'unquoted'],
  ['bare text', '{"a": Build}', 'unquoted'],
  ['a quote in a string', '["a "b" c"]', 'inner quote'],
  ['a missing comma', '["a" "b"]', 'other'],
  ['a bare word', 'nope', 'other'],
])('the kind of accident is known: %s', (_, text, kind) => {
  expect(findJsonProblem(text)?.kind).toBe(kind);
});

const soup = fc
  .array(
    fc.constantFrom(
      ...'{}[]",:\\\n \tx\x010',
      ...['"a"', '"b":', 'true', '-1.5e3', '\\u00e9', '\\!', '\\\n'],
    ),
  )
  .map((tokens) => tokens.join(''));

test('a text has a problem if and only if the forgiving reader refuses it, and JSON none but a duplicate property', () => {
  const texts = [
    soup,
    fc.json(),
    soup.map((text) => `[${text}]`),
    soup.map((text) => `{"a":${text}}`),
  ];
  const isJson = (text: string) => orElse(() => [JSON.parse(text)], undefined) !== undefined;
  fc.assert(
    fc.property(fc.oneof(...texts), (text) => {
      const problem = findJsonProblem(text);
      expect('problem' in readJson(text)).toBe(problem !== undefined);
      if (problem && isJson(text)) expect(problem.message).toBe('duplicate property');
    }),
    { numRuns: runs(4000) },
  );
});
