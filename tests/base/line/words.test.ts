import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { literalWords, readWord } from '../../../src/base/line/words.ts';
import { ENV } from '../../helpers/bash.ts';
import { growth } from '../../helpers/best-time.ts';
import { Random, runs, testSeed } from '../../helpers/random.ts';

const NAMES = new Set(['TodoWrite', 'Agent-2']);
const parse = (line: string) => literalWords(line, NAMES);
const LINES = runs(3_000);

const BARE = [...'ABYZabyz0189_@%+=:,./-'];
const TEXT = [...' \t\n;&|<>(){}[]*?~!#$`\\"^ab09-=éü漢😀\u2028\u00a0\r\x01\x7f'];

/** A line of the literal grammar that calls `name`, and starts as a command does. */
function literalLine(random: Random, name: string): string {
  const blanks = (least: number) => random.list(least, 3, () => random.pick([' ', '\t'])).join('');
  const words = random.list(0, 5, () => blanks(1) + word(random));
  return `${blanks(0)}${spelled(random, name)}${words.join('')}${blanks(0)}`;
}

function word(random: Random): string {
  return random.list(1, 4, () => piece(random)).join('');
}

function piece(random: Random): string {
  const text = (from: readonly string[]) => random.list(0, 8, () => random.pick(from)).join('');
  switch (random.below(4)) {
    case 0:
      return random.list(1, 6, () => random.pick(BARE)).join('');
    case 1:
      return `'${text(TEXT)}'`;
    case 2: {
      const plain = TEXT.filter((character) => !'"\\$`'.includes(character)).concat("'");
      return `"${text([...plain, '\\"', '\\\\', '\\$'])}"`;
    }
    default:
      return `\\${random.pick(TEXT.filter((character) => character !== '\n').concat("'", 'n', 't'))}`;
  }
}

/** Spells a name without expansions. */
function spelled(random: Random, name: string): string {
  const middle = random.below(name.length);
  const start = name.slice(0, middle);
  const end = name.slice(middle);
  const quoted = [`'${name}'`, `"${name}"`, `${start}'${end}'`, `"${start}"${end}`];
  return random.pick([name, name, name, ...quoted, `${start}\\${end}`]);
}

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

test(`a line of the literal grammar is read word for word as bash reads it, in ${LINES} random lines`, () => {
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
  ['double quotes with escapes', (size: number) => `TodoWrite "${'\\"'.repeat(size / 2)}"`],
  ['many pieces', (size: number) => `TodoWrite ${"''a".repeat(size / 3)}`],
  ['an end that spoils it', (size: number) => `TodoWrite '${'x'.repeat(size)}' ;`],
])('2 MB are read in time linear in their length: %s', async (_name, make) => {
  expect(await growth((size) => parse(make(size)), 100_000)).toBeLessThan(200);
});

describe('a line outside the literal grammar', () => {
  // Beside those to which the next test adds something.
  test.each([
    ...["TodoWrite 'x' 2>&1", 'TodoWrite $"x"', 'TodoWrite a=~/x', 'TodoWrite a#b', 'TodoWrite ^x'],
    ...['! TodoWrite x', '(TodoWrite x)', '{ TodoWrite x; }', 'X=1 TodoWrite x', 'TodoWrite a(b)'],
    ...[
      "\nTodoWrite 'x'",
      'TodoWrite\nx',
      'TodoWrite a\\\nb',
      'TodoWrite "a\\\nb"',
      'TodoWrite x$',
    ],
    ...['TodoWrite "\\`"', 'TodoWrite\vx', 'TodoWrite\u00a0x', "TodoWrite 'a\0b'"],
  ])('is left to bash: %j', (line) => {
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

test.each([
  ['a-b', 'a-b', true],
  ["'a b'", 'a b', true],
  [`'Don'\\''t'`, "Don't", true],
  [`a\\ b"c \\"d\\""'e'`, 'a bc "d"e', true],
  ['\\*\\#\\\u00a0\\😀', '*#\u00a0😀', true],
  [`"it's 修复"`, "it's 修复", true],
  [`"a\\nb"`, 'a\\nb', false],
  ['*.ts', '*.ts', false],
  [`'a '*' b'`, 'a * b', false],
  [`"$HOME/x"y`, '$HOME/xy', false],
  ['${X:-y}', '$X:-y', false],
  ['a#b!', 'a#b!', false],
  ['~/x', '~/x', false],
  ['é', 'é', false],
  ['a$', 'a$', false],
  ['"5$"', '5$', false],
])('the word %s is %j, literal: %s', (written, text, isLiteral) => {
  for (const after of ['', ' x', ';', '\n', '|x', ')']) {
    expect(readWord(`${written}${after}`, 0)).toEqual({ text, written, isLiteral, start: 0 });
  }
});

test.each([
  ...['', ' a', '"a', "'a", 'a\\', 'a\\\nb', '$(a)', '"$(a)"', '`a`', '"`a`"', "$'a'"],
  ...['$"a"', '$[1]'],
  ...['a(', '@(a)', 'a\u00a0b', 'a\r', '{x}>f', '{x}<f', '${x', '${}', "${x:-'y'}"],
  ...['"${x:-"y"}"', '<(a)'],
])('a text that only bash can read is no word: %j', (line) => {
  expect(readWord(line, 0)).toBeUndefined();
});

test('a long line is only read in words of one piece', () => {
  const long = 'x'.repeat(100_000);
  expect(readWord(`'${long}' y`, 0)?.text).toBe(long);
  expect(readWord(`${long};`, 0)?.text).toBe(long);
  expect(readWord(`'${long}'y`, 0)).toBeUndefined();
  expect(readWord(`"a" '${long}'`, 0)).toBeUndefined();
});
