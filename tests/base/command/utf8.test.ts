import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOfBytes } from '../../../src/base/command/utf8.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { temporaryDirectory } from '../../helpers/files.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['ab\xff', 'line 1, column 3: the byte 0xff is not UTF-8'],
  ['a\nb\xc3(', 'line 2, column 2: the byte 0xc3 is not UTF-8'],
  ['\xed\xa0\x80', 'line 1, column 1: the byte 0xed is not UTF-8'],
  ['\xef\xbf\xbd\xef\xbf\xbdx\x80', 'line 1, column 4: the byte 0x80 is not UTF-8'],
  ['\xef\xbb\xbf{\xe2\x82', 'line 1, column 3: the byte 0xe2 is not UTF-8'],
])('%j is refused, and the place named', (text, message) => {
  expect(() => textOfBytes(bytes(text))).toThrow(message);
});

test('any text is read as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(textOfBytes(Buffer.from(text))).toBe(Buffer.from(text).toString());
    }),
  );
});

test('more bytes than the caller takes are not judged', () => {
  expect(textOfBytes(bytes('abc\xff'), 3)).toBe('abc\ufffd');
});

test('the executables refuse invalid UTF-8 on standard input and in an argument', () => {
  const list = '{"todos":[{"content":"caf\xe9","activeForm":"a","status":"pending"}]}';
  const script = `LIST='${list}'; cd dist/bin/commands
    printf '%s' "$LIST" | ./TodoWrite; echo $?; ./TaskCreate "$LIST"; echo $?`;
  const env = { ...process.env, TODO_STATE_DIR: temporaryDirectory(), TODO_SESSION: 's' };
  const { stdout, stderr } = spawnSync('bash', { input: bytes(script), encoding: 'utf8', env });
  expect(stdout).toBe('1\n1\n');
  expect(stderr).toMatch(
    /^(Error: Invalid UTF-8\n- .*line 1, column 26: the byte 0xe9 is not UTF-8\n){2}$/,
  );
});
