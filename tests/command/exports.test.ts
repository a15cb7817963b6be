import { expect, test } from 'vitest';
import { markdownText } from '../../src/safe-text.ts';

test('no control reaches a terminal, and nothing of a text is markup', () => {
  expect(markdownText('*a* <b> [c](d) `e` | #1 \x1b')).toBe(
    '\\*a\\* \\<b\\> \\[c\\](d) \\`e\\` \\| \\#1 ␛',
  );
});
