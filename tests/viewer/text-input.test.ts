import { expect, test } from 'vitest';
import { typed } from '../../src/viewer/text-input.ts';

const ctrl = true;

test.each([
  ['Ctrl-A', { name: 'a', ctrl }, '|fix the lögin'],
  ['Home', { name: 'home' }, '|fix the lögin'],
  ['Ctrl-E', { name: 'e', ctrl }, 'fix the lögin|'],
  ['End', { name: 'end' }, 'fix the lögin|'],
  ['Ctrl-U', { name: 'u', ctrl }, '|gin'],
  ['Ctrl-K', { name: 'k', ctrl }, 'fix the lö|'],
  ['Ctrl-W', { name: 'w', ctrl }, 'fix the |gin'],
  ['Backspace', { name: 'backspace' }, 'fix the l|gin'],
  ['Delete', { name: 'delete' }, 'fix the lö|in'],
  ['left', { name: 'left' }, 'fix the l|ögin'],
  ['right', { name: 'right' }, 'fix the lög|in'],
  ['a character', { sequence: '😀' }, 'fix the lö😀|gin'],
  ['pasted lines', { pasted: 'one\r\ntwo\x1b[2J' }, 'fix the löone two [2J|gin'],
  ['another Ctrl key', { name: 'x', sequence: '\x18', ctrl }, 'fix the lö|gin'],
  ['a key with Meta', { name: 'b', sequence: 'b', meta: true }, 'fix the lö|gin'],
  ['a key without text', { name: 'f5', sequence: '\x1b[15~' }, 'fix the lö|gin'],
])('%s edits the line that is typed in the viewer as in a shell', (_, key, expected) => {
  const { before, after } = typed({ before: 'fix the lö', after: 'gin' }, key);
  expect(`${before}|${after}`).toBe(expected);
});

test('one character at a time goes, and none where there is none', () => {
  const whole = { before: 'a😀', after: '' };
  expect(typed(whole, { name: 'backspace' })).toEqual({ before: 'a', after: '' });
  expect(typed(whole, { name: 'left' })).toEqual({ before: 'a', after: '😀' });
  for (const name of ['delete', 'right', 'end']) expect(typed(whole, { name })).toEqual(whole);
});
