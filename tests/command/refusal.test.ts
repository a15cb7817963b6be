import { expect, test } from 'vitest';
import { refusal } from '../../src/command/replies.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `problem ${index}`);

/** The bullet lines of stderr. */
const bullets = (problems: Parameters<typeof refusal>[1]) =>
  refusal('Failed', problems).stderr.split('\n').slice(1, -1);

test('a refusal is exit code 1, nothing on stdout, and its lines between title and ending', () => {
  expect(refusal('Failed', { lines: ['one', 'two'] }, 'Usage: x\n')).toEqual({
    stdout: '',
    stderr: 'Error: Failed\n- one\n- two\nUsage: x\n',
    exitCode: 1,
  });
});

test('20 problems are 20 lines', () => {
  expect(bullets({ lines: numbered(20) })).toHaveLength(20);
});

test('beyond 20 lines the rest is counted', () => {
  const lines = bullets({ lines: numbered(30) });
  expect(lines).toHaveLength(21);
  expect(lines.slice(-2)).toEqual(['- problem 19', '- and 10 more']);
});

test('problems that were only counted are in that count', () => {
  expect(bullets({ lines: numbered(2), unlisted: 5 })).toEqual([
    '- problem 0',
    '- problem 1',
    '- and 5 more',
  ]);
});

test('closing lines are among the 20 and are never crowded out', () => {
  const lines = bullets({ lines: numbered(20), unlisted: 80, closing: ['last but one', 'last'] });
  expect(lines).toHaveLength(21);
  expect(lines.slice(-4)).toEqual(['- problem 17', '- last but one', '- last', '- and 82 more']);
});

test('long lines are left out beyond 4 KB', () => {
  const { stderr } = refusal('Failed', {
    lines: Array(20).fill('日'.repeat(100)),
    closing: ['last'],
  });
  expect(Buffer.byteLength(stderr)).toBeLessThan(3500);
  expect(stderr).toMatch(/- last\n- and 11 more\n$/);
});
