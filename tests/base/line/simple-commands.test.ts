import { describe, expect, test } from 'vitest';
import { readCommands } from '../../../src/base/line/simple-commands.ts';
import { growth } from '../../helpers/best-time.ts';

/** Each command as its assignments, redirections and words: `X=1`, `2>&1`. */
function read(line: string) {
  const { commands, isComplete, ...about } = readCommands(line);
  const told = commands.map(({ words, assignments, redirections }) => [
    ...assignments.map(({ written }) => written),
    ...redirections.map(
      ({ descriptor, operator, target }) => `${descriptor}${operator}${target.text}`,
    ),
    ...words.map(({ text }) => text),
  ]);
  return { told, ...about };
}

test.each([
  ['a | b; (c) && { d; } & # e', true],
  ["for i in 1; do a <<'E' | b; done\n1\nE\n", true],
  ['if a; then b; else ! c; fi', true],
  ['a |', false],
  ['a &&\n', false],
  ['a || # b', false],
  ['a \\', false],
  ['(a', false],
  ['{ a;', false],
  ['if a; then b', false],
  ['while a; do b', false],
  ['f()', false],
  ['a "b', false],
  ['a <<E\nE ', false],
  ['a <', false],
  ['a >2<f', false],
  ['a > #f', false],
])('bash reads no more than the line: %j: %s', (line, isComplete) => {
  expect(readCommands(line).isComplete).toBe(isComplete);
});

describe('nothing of a line is dropped', () => {
  test.each([
    ['a b; c', [['a', 'b'], ['c']]],
    ['a;>f', [['a'], ['>f']]],
    ['a\n>f', [['a'], ['>f']]],
    ['>f a', [['>f', 'a']]],
    ['a </etc/passwd 2>>log >&2', [['</etc/passwd', '2>>log', '>&2', 'a']]],
    ['<&-a b', [['<&-', 'a', 'b']]],
    ['a >& -b 2>&-;c', [['>&-', '2>&-', 'a', 'b'], ['c']]],
    ['a <<< "b c"', [['<<<b c', 'a']]],
    ['[ -f x ] && a', [['[', '-f', 'x', ']'], ['a']]],
    [`a "b c" 'd'\\ e | f`, [['a', 'b c', 'd e'], ['f']]],
    ["a <<'E' && b\n$(x)\nE\nc", [['<<E', 'a'], ['b'], ['c']]],
    ["a <<'E' <<'F'\n1\nE\n2\nF\nb", [['<<E', '<<F', 'a'], ['b']]],
    ["a <<'E' && b\n\tE\nE\nc", [['<<E', 'a'], ['b'], ['c']]],
    ['a <<E\nb\nE\nc', [['<<E', 'a'], ['c']]],
    ["a <<'E'\nb\\\nE\nc", [['<<E', 'a'], ['c']]],
    ["a <<-'E'\n\tb\n\t\tE\nc", [['<<-E', 'a'], ['c']]],
    ['a time', [['a', 'time']]],
    ['a |& b &', [['a'], ['b']]],
    ['a &&\n\n b', [['a'], ['b']]],
    ['', []],
  ])('%j', (line, told) => {
    expect(read(line)).toEqual({ told, isWhole: true, isLiteral: true });
  });

  test.each([
    ['X=1 Y+=2 a', [['X=1', 'Y+=2', 'a']]],
    ['X=1', [['X=1']]],
    ['a $x "$y" *.ts', [['a', '$x', '$y', '*.ts']]],
    ['a # b', [['a']]],
    ['a \\\n b', [['a', 'b']]],
    ['time a', [['time', 'a']]],
    ['a >$x', [['>$x', 'a']]],
  ])('a word that is not literal is flagged: %j', (line, told) => {
    expect(read(line)).toEqual({ told, isWhole: true, isLiteral: false });
  });
});

test.each([
  ['(cd a && b) >f', [['cd', 'a'], ['b'], ['>f']]],
  ['{ a; }', [['a']]],
  ['! a', [['a']]],
  ['if a; then b; else c; fi', [['a'], ['b'], ['c']]],
  ['for x in b c; do d $x; done; e', [['d', '$x'], ['e']]],
  ['while a; do b; done <f', [['a'], ['b'], ['<f']]],
])('a line that is more than a list is not whole, and has its commands: %j', (line, told) => {
  expect(read(line)).toMatchObject({ told, isWhole: false });
});

test.each([
  ['a; b $(c); d', [['a'], ['b']]],
  ['a `b`', [['a']]],
  ['a && "b', [['a']]],
  ['a; case b in c) d;; esac', [['a']]],
  ['a; [[ b && c ]]', [['a']]],
  ['a; coproc b', [['a']]],
  ['a; function b { c; }', [['a']]],
  ['a () { b; }', [['a']]],
  ['a; ((b))', [['a']]],
  ['a; x[1]=2 b', [['a']]],
  ['a {x}>&1; b', [['a']]],
  ['a <(b)', [['a']]],
  ['a <<E\nb', [['<<E', 'a']]],
  ['a <<E\nb\\\nE\nE\nc', [['<<E', 'a']]],
  ['a <<$x\nb\n$x', [['<<$x', 'a']]],
  ["a <<''\nb\n", [['<<', 'a']]],
  ['a >;b', [['a']]],
  ['a;;b', [['a']]],
  ['a\r', []],
  ['a\u00a0b', []],
  ['a\0b', []],
  ["a '\ud800'", []],
  [` a${' b'.repeat(300)}`, [['a', ...Array(99).fill('b')]]],
])('an unreadable part ends the reading: %j', (line, told) => {
  expect(read(line)).toMatchObject({ told, isWhole: false });
});

test('each command has its operators and its start', () => {
  const told = readCommands(' a && b|c\nd & e;').commands;
  expect(told.map(({ before, after, start, text }) => [before, after, start, text])).toEqual([
    ['', '&&', 1, 'a'],
    ['&&', '|', 6, 'b'],
    ['|', ';', 8, 'c'],
    [';', '&', 10, 'd'],
    ['&', ';', 14, 'e'],
  ]);
});

test('a line takes time linear in its length', async () => {
  for (const text of [...`'"\\a{#`, "a'b'", '"a"', '$x', '${', '<<E\n', 'x\n', '((', "'\n"]) {
    const lineOf = (size: number) => `a ${text.repeat(size / text.length)} <<'E'\n`;
    expect(await growth((size) => readCommands(lineOf(size)), 20_000), text).toBeLessThan(200);
  }
});
