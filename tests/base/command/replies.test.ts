import { expect, test } from 'vitest';
import { refusal, seeHelp } from '../../../src/base/command/replies.ts';
import { failed } from '../../helpers/replies.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `problem ${index}`);

/** The bullet lines of stderr. */
const bullets = (problems: Parameters<typeof refusal>[1]) =>
  refusal('Failed', problems).stderr.split('\n').slice(1, -1);

test('a refusal is exit code 1, nothing on stdout, and its lines between title and ending', () => {
  expect(refusal('Failed', { lines: ['one', 'two'] }, 'Usage: x\n')).toEqual(
    failed('Error: Failed\n- one\n- two\nUsage: x\n'),
  );
});

test.each([
  [{ lines: numbered(20) }, 20, '- problem 19'],
  [{ lines: numbered(30) }, 21, '- and 10 more'],
  [{ lines: numbered(2), unlisted: 5 }, 3, '- and 5 more'],
])('of the problems at most 20 are lines, and the rest is counted', (problems, count, last) => {
  expect(bullets(problems)).toHaveLength(count);
  expect(bullets(problems).at(-1)).toBe(last);
});

test('closing lines are among the 20 and are never crowded out', () => {
  const lines = bullets({ lines: numbered(20), unlisted: 80, closing: ['last but one', 'last'] });
  expect(lines).toHaveLength(21);
  expect(lines.slice(-4)).toEqual(['- problem 17', '- last but one', '- last', '- and 82 more']);
});

test('long lines are left out beyond 4 KB', () => {
  const lines = Array(20).fill('日'.repeat(100));
  const { stderr } = refusal('Failed', { lines, closing: ['last'] });
  expect(Buffer.byteLength(stderr)).toBeLessThan(3500);
  expect(stderr).toMatch(/- last\n- and 11 more\n$/);
});

test.each(['x', '中', '😀'])(
  'the first line is cut rather than left out: many of %j',
  (character) => {
    const { stderr } = refusal('Failed', { lines: [`A${character.repeat(3100)}!`, 'more'] });
    expect(stderr).toMatch(RegExp(`^Error: Failed\n- A${character}{700}.*\\.\\.\\.\n`, 'u'));
    expect(Buffer.byteLength(stderr)).toBeLessThanOrEqual(3100);
  },
);

test.each([
  [43, /^agent-shell: (?:x )+x; see agent-shell --help\n$/],
  [45, /^agent-shell: (?:x )+x;\nsee agent-shell --help\n$/],
  [201, /^agent-shell: (?:x )+x\n(?:x )+x\n(?:x )*x;\nsee agent-shell --help\n$/],
])('an error of agent-shell of %d characters fits in 80 columns with its hint', (length, form) => {
  const said = seeHelp('x '.repeat(length).slice(0, length), 'agent-shell --help');
  expect(said).toMatch(form);
  expect(said).not.toMatch(/.{81}/);
});
