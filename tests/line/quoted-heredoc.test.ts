import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { literalWords, quotedHeredoc } from '../../src/line/words.ts';
import { ENV } from '../helpers/bash.ts';
import { growth } from '../helpers/best-time.ts';
import { Random, runs, testSeed } from '../helpers/random.ts';

const NAMES = new Set(['TodoWrite']);
const LINES = runs(1_000);
const PIECES = [
  ...[
    ' ',
    '\t',
    '\n',
    '\n',
    'E',
    'EOF',
    '\nE\n',
    '\nE',
    'x',
    "'",
    '"',
    '\\',
    '\\\n',
    '$HOME',
    '$(a)',
    '`b`',
  ],
  ...[
    'é',
    '中\\',
    '😀',
    '\u2028',
    '\u00a0',
    '\r',
    '\f',
    '\x01',
    '\x7f',
    '<<',
    " <<'E'\n",
    '{"todos":[]}',
  ],
];

/** What a line gives TodoWrite on standard input, if it is certain. */
function read(line: string): string | undefined {
  const { before, text } = quotedHeredoc(line) ?? {};
  return before !== undefined && literalWords(before, NAMES) ? text : undefined;
}

/** What TodoWrite reads in each of these lines, as bash runs them. */
function readByBash(lines: readonly string[], env: Record<string, string> = {}): string[] {
  const script = `TodoWrite() { cat; }\nfor line; do eval "$line"; printf '\\0'; done`;
  const args = ['--norc', '-c', script, 'bash', ...lines];
  const { stdout } = spawnSync('bash', args, {
    env: { ...ENV, ...env },
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  return stdout.split('\0').slice(0, -1);
}

test.each([
  ['UTF-8', {}],
  ['GBK, where a backslash may be half a character', { LC_ALL: 'zh_CN.GBK' }],
])(
  `a quoted heredoc at the end of a line is read as bash reads it, in ${LINES} random lines: %s`,
  (_name, env) => {
    const seed = testSeed();
    const random = new Random(seed);
    const lines = Array.from({ length: LINES }, () => {
      const text = random.list(0, 8, () => random.pick(PIECES)).join('');
      const opening = random.pick(["<<'E'", "<< 'E' ", "- <<'E'"]);
      return `TodoWrite ${opening}\n${text}\nE${random.pick(['', '\n', '\n\t\n'])}`;
    });
    const certain = lines.filter((line) => read(line) !== undefined);
    expect(certain.length, `seed ${seed}`).toBeGreaterThan(LINES / 2);
    const expected = readByBash(certain, env);
    for (const [index, line] of certain.entries()) {
      expect(read(line), `seed ${seed}: ${JSON.stringify(line)}`).toBe(expected[index]);
    }
  },
);

test.each([
  ['an empty one', "TodoWrite <<'EOF'\nEOF", ''],
  ['one after words', "TodoWrite - 'a b' <<'EOF'\n  it's\n\nEOF\n\n", "  it's\n\n"],
  ['without a delimiter that ends it', "TodoWrite <<'EOF'\nx\n", undefined],
  ['whose delimiter only looks like one', "TodoWrite <<'EOF'\nx\n EOF\nEOF ", undefined],
  ['in double quotes', 'TodoWrite <<"EOF"\nx\nEOF', undefined],
  ['unquoted', 'TodoWrite <<EOF\n$x\nEOF', undefined],
  ['with its tabs removed', "TodoWrite <<-'EOF'\n\tx\n\tEOF", undefined],
  ['of another descriptor', "TodoWrite 3<<'EOF'\nx\nEOF", undefined],
  ['before a word', "TodoWrite <<'EOF' x\nx\nEOF", undefined],
  ['before a pipe', "TodoWrite <<'EOF' | cat\nx\nEOF", undefined],
  ['before another command', "TodoWrite <<'EOF'\nx\nEOF\nls", undefined],
  ['after another', "TodoWrite <<'A' <<'B'\n1\nA\n2\nB", undefined],
  ['of another command', "cat <<'EOF'\nx\nEOF", undefined],
  ['in quotes', 'TodoWrite "a <<\'E\'\nx\nE\n"', undefined],
  ['in a comment', "TodoWrite # <<'EOF'\nx\nEOF", undefined],
  ['with a NUL', "TodoWrite <<'EOF'\n\0\nEOF", undefined],
])('%s', (_name, line, text) => {
  expect(read(line)).toBe(text);
});

test('2 MB are read in time linear in their length', async () => {
  const line = (size: number) => `TodoWrite <<'E'\n${" <<'E' x\n".repeat(size / 9)}E`;
  expect(await growth((size) => read(line(size)), 100_000)).toBeLessThan(200);
});
