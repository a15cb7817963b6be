import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { literalWords } from '../../src/line/words.ts';
import { ENV } from '../helpers/bash.ts';
import { growth } from '../helpers/best-time.ts';
import { literalLine } from '../helpers/literal-lines.ts';
import { Random, runs, testSeed } from '../helpers/random.ts';

const NAMES = new Set(['TodoWrite', 'Agent-2']);
const parse = (line: string) => literalWords(line, NAMES);
const LINES = runs(3_000);

/** The words of each line as bash passes them, all by one bash. */
function wordsInBash(lines: readonly string[]): string[][] {
  // Each call prints the number of its words, and the words.
  const functions = [...NAMES].map(
    (name) => `${name}() { printf '%s\\0' $(($# + 1)) ${name} "$@"; }\n`,
  );
  const { stdout, stderr, status } = spawnSync('bash', ['-s'], {
    input: `${functions.join('')}${lines.join('\n')}\n`,
    env: ENV,
    maxBuffer: 1e9,
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const fields = stdout.split('\0').slice(0, -1);
  const calls: string[][] = [];
  for (let start = 0; start < fields.length; ) {
    const end = start + 1 + Number(fields[start]);
    calls.push(fields.slice(start + 1, end));
    start = end;
  }
  return calls;
}

describe('a line of the literal grammar', () => {
  test(`is read word for word as bash reads it, in ${LINES} random lines`, () => {
    const seed = testSeed();
    const random = new Random(seed);
    const lines = Array.from({ length: LINES }, () => literalLine(random, random.pick([...NAMES])));
    const expected = wordsInBash(lines);
    expect(expected.length, `seed ${seed}`).toBe(LINES);
    for (const [index, line] of lines.entries()) {
      expect(parse(line), `seed ${seed}: ${JSON.stringify(line)}`).toEqual(expected[index]);
    }
  });

  test.each([
    ['TodoWrite \'\' "" x', ['TodoWrite', '', '', 'x']],
    ['TodoWrite \'a\nb\' "c\nd"', ['TodoWrite', 'a\nb', 'c\nd']],
    ["TodoWrite 'Don'\\''t' \"it's\" 'a'\"'\"'b'", ['TodoWrite', "Don't", "it's", "a'b"]],
    [
      'TodoWrite \\$HOME \\* \\~ \\# \\; a\\ b \\\\',
      ['TodoWrite', '$HOME', '*', '~', '#', ';', 'a b', '\\'],
    ],
    ['TodoWrite "\\$HOME \\"x\\" \\\\"', ['TodoWrite', '$HOME "x" \\']],
    ['TodoWrite a=b -c --d=e,f:g/h.i@j%k+l', ['TodoWrite', 'a=b', '-c', '--d=e,f:g/h.i@j%k+l']],
    ["TodoWrite '#' a'#'b", ['TodoWrite', '#', 'a#b']],
  ])('is read as bash reads it: %s', (line, words) => {
    expect(parse(line)).toEqual(words);
    expect(wordsInBash([line])).toEqual([words]);
  });
});

test.each([
  ['one bare word', (size: number) => `TodoWrite ${'x'.repeat(size)}`],
  ['one quoted word', (size: number) => `TodoWrite '${'x'.repeat(size)}'`],
  ['double quotes with escapes', (size: number) => `TodoWrite "${'\\"'.repeat(size / 2)}"`],
  ['many words', (size: number) => `TodoWrite${' xxxxxxxxx'.repeat(size / 10)}`],
  ['many pieces', (size: number) => `TodoWrite ${"''a".repeat(size / 3)}`],
  ['many backslashes', (size: number) => `TodoWrite ${'\\\\'.repeat(size / 2)}`],
  ['an end that spoils it', (size: number) => `TodoWrite '${'x'.repeat(size)}' ;`],
  ['a quote that is open', (size: number) => `TodoWrite '${'x'.repeat(size)}`],
])('2 MB are read in time linear in their length: %s', async (_name, make) => {
  expect(await growth((size) => parse(make(size)), 100_000)).toBeLessThan(200);
});

describe('a line outside the literal grammar', () => {
  test.each([
    ['and-list', "TodoWrite 'x' && echo done"],
    ['or-list', "TodoWrite 'x' || echo done"],
    ['semicolon', "TodoWrite 'x'; ls"],
    ['trailing semicolon', "TodoWrite 'x';"],
    ['pipe', "TodoWrite 'x' | cat"],
    ['background', "TodoWrite 'x' &"],
    ['redirection', "TodoWrite 'x' > file"],
    ['redirection without blanks', "TodoWrite 'x'>file"],
    ['redirection of a descriptor', "TodoWrite 'x' 2>&1"],
    ['input', 'TodoWrite < file'],
    ['heredoc', "TodoWrite <<'EOF'\nx\nEOF"],
    ['here-string', "TodoWrite <<< 'x'"],
    ['variable', 'TodoWrite $X'],
    ['variable in double quotes', 'TodoWrite "$X"'],
    ['braces of a variable', 'TodoWrite ${X}'],
    ['command substitution', 'TodoWrite $(cat file)'],
    ['command substitution in double quotes', 'TodoWrite "$(cat file)"'],
    ['backticks', 'TodoWrite `cat file`'],
    ['backticks in double quotes', 'TodoWrite "`cat file`"'],
    ['arithmetic', 'TodoWrite $((1+1))'],
    ['ANSI-C quoting', "TodoWrite $'x'"],
    ['locale quoting', 'TodoWrite $"x"'],
    ['dollar at the end', 'TodoWrite x$'],
    ['glob *', 'TodoWrite *'],
    ['glob ?', 'TodoWrite a?'],
    ['glob []', 'TodoWrite [ab]'],
    ['braces', 'TodoWrite {a,b}'],
    ['tilde', 'TodoWrite ~'],
    ['tilde within', 'TodoWrite a=~/x'],
    ['exclamation mark', 'TodoWrite hi!'],
    ['negation', '! TodoWrite x'],
    ['comment', "TodoWrite 'x' # plan"],
    ['number sign within', 'TodoWrite a#b'],
    ['caret', 'TodoWrite ^x'],
    ['newline at the end', "TodoWrite 'x'\n"],
    ['newline at the start', "\nTodoWrite 'x'"],
    ['newline between words', 'TodoWrite\nx'],
    ['continued line', 'TodoWrite \\\nx'],
    ['continued word', 'TodoWrite a\\\nb'],
    ['continued line in double quotes', 'TodoWrite "a\\\nb"'],
    ['backslash in double quotes that bash keeps', 'TodoWrite "a\\nb"'],
    ['escaped backtick in double quotes', 'TodoWrite "\\`"'],
    ['backslash at the end', 'TodoWrite a\\'],
    ['open single quote', "TodoWrite 'x"],
    ['open double quote', 'TodoWrite "x'],
    ['subshell', '(TodoWrite x)'],
    ['group', '{ TodoWrite x; }'],
    ['parenthesis', 'TodoWrite a(b)'],
    ['assignment before it', 'X=1 TodoWrite x'],
    ['carriage return', 'TodoWrite x\r'],
    ['vertical tab', 'TodoWrite\vx'],
    ['no-break space', 'TodoWrite\u00a0x'],
    ['a letter beyond ASCII', 'TodoWrite é'],
    ['NUL', 'TodoWrite a\0b'],
    ['NUL in quotes', "TodoWrite 'a\0b'"],
    ['control character', 'TodoWrite \x01'],
  ])('is left to bash: %s', (_name, line) => {
    expect(parse(line)).toBeUndefined();
  });

  test(`is left to bash, in ${LINES} lines of the grammar that something was added to`, () => {
    const seed = testSeed();
    const random = new Random(seed);
    const closed = [
      ...[' && x', ' || x', '; x', ';', ' | x', ' & x', ' > f', '>f', ' < f', ' <<EOF', ' <<< x'],
      ...[' $X', '$X', ' ${X}', ' $(x)', ' `x`', ' $((1))', " $'x'", ' "$X"', ' "`x`"', ' "\\n"'],
      ...[' *', '?', ' [a]', ' {a,b}', ' ~', '!', ' # x', '#', '^', ' (x)', ')'],
      ...['\n', '\nx', ' \\\n', '\0', '\r', '\v', 'é', '\u00a0', '\u2028', '\x01'],
    ];
    const open = [" 'open", ' "open', "'", '"', ' "\\', '\\'];
    for (let index = 0; index < LINES; index += 1) {
      // A backslash may quote one of the blanks at the end, so they are cut.
      const line = `${literalLine(random, 'TodoWrite')} .`;
      const longer = random.chance(0.8)
        ? `${line}${random.pick(closed)}${random.pick(['', ' x', " 'x' ", '"x"'])}`
        : `${line}${random.pick(open)}`;
      expect(parse(line), `seed ${seed}: ${JSON.stringify(line)}`).toBeDefined();
      expect(parse(longer), `seed ${seed}: ${JSON.stringify(longer)}`).toBeUndefined();
    }
  });
});

describe('the name', () => {
  test.each([
    ['alone', 'TodoWrite', ['TodoWrite']],
    ['with blanks around it', ' \t TodoWrite \t ', ['TodoWrite']],
    ['in single quotes', "'TodoWrite' x", ['TodoWrite', 'x']],
    ['in double quotes', '"TodoWrite" x', ['TodoWrite', 'x']],
    ['in pieces', 'Todo"Wr"\\i\'te\' x', ['TodoWrite', 'x']],
    ['with a hyphen and a digit', 'Agent-2 x', ['Agent-2', 'x']],
  ])('is read as bash reads it: %s', (_name, line, words) => {
    expect(parse(line)).toEqual(words);
  });

  test.each([
    ...['', ' ', 'TodoWriter x', 'todowrite x', 'Todo Write x', 'echo TodoWrite', './TodoWrite x'],
    ...["' TodoWrite' x", 'TodoWrite= x', "''", '"" TodoWrite', 'toString', 'constructor x'],
  ])('of no agent command is left to bash: %j', (line) => {
    expect(parse(line)).toBeUndefined();
  });

  test('is looked up at each call among the given names', () => {
    const names = new Set<string>();
    expect(literalWords('Late x', names)).toBeUndefined();
    names.add('Late');
    expect(literalWords('Late x', names)).toEqual(['Late', 'x']);
  });
});
