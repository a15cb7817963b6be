import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { readForApproval } from '../../../src/base/line/certain-line.ts';
import { readCommands } from '../../../src/base/line/simple-commands.ts';
import { ENV } from '../../helpers/bash.ts';
import { localeWith } from '../../helpers/locales.ts';
import { deedsOf } from '../../helpers/marked-bash.ts';
import { Random } from '../../helpers/random.ts';

// TEST_SEED and TEST_CERTAIN_LINES try other and more lines; by default each run has the same.
const SEED = Number(process.env.TEST_SEED ?? 20261122);
const COUNT = Number(process.env.TEST_CERTAIN_LINES ?? 150);

const PROGRAMS = ['a', 'bb', 'Agent'];
const AGENT_COMMANDS = new Set(['Agent']);
const WORDS = [
  ...PROGRAMS,
  ...PROGRAMS,
  ...['echo', 'true', 'test', '[', 'printf', 'cd', 'pwd'],
  ...['let', 'declare', 'export', 'read', 'unset', 'eval', 'command', 'exec', 'set', 'trap', '.'],
  ...['if', 'then', 'fi', 'time', 'in', 'for', 'do', 'done', 'coproc', '!', '{', '}', '[['],
  ...['-v', '-n', '-e', '--', '%n', '%s', 'x', 'x=1', 'x+=1', '1', '2', '/dev/null', '..'],
];
const PHRASES = [
  ...['printf -v x 1', "printf '%s%n' 1 x", "printf '% ln' x", "test -v 'x[$(a)]'"],
  ...['read x', 'export x=1', "let 'x=1'", 'wait -p x', 'mapfile x', 'unset x', 'cd -P ..'],
  ...['set -- x', 'shopt -s extglob', "[ -v 'x[$(a)]' ]", '# a', 'a # bb', 'a \\\nbb'],
  ...["trap 'a' EXIT", "alias a='bb'", 'hash -p /a b', 'enable -n echo', "eval 'a'"],
  ...['. /dev/null', 'exec a', 'command a'],
  ...["Agent <<'E'\n$(a)\nE\n", 'Agent <<E\n$(a)\nE\n', "Agent <<'E'\n中\\\nE\n"],
];
const PIECES = [
  ...[' ', ' ', ' ', '\t', '\n', ';', '&', '&&', '||', '|', '|&', ';;'],
  ...['>', '>>', '<', '>&', '<&', '&>', '>|', '<>', '2>&1', '>/dev/null', '>&2', '{x}>', '<<<'],
  ...["<<'E'", '<<E', '<<-', '\nE\n', '\nE', "<<'é'", '\u00a0', '\r', '\ud800'],
  ...["'", "'", '"', '"', '\\', '\\\n', '#', '$', '$x', '${x}', '${x:=1}', '$(', '`', '$((', "$'"],
  ...['(', ')', '()', '{', '}', '{a,bb}', '*', '?', '[', ']', 'x[', '~', '!', '=', '+='],
  ...['%', ',', '-'],
  ...['中', 'ü', '修'],
];

/** Lines of shell characters: half of them random, half of them words with something between. */
function randomLine(random: Random): string {
  if (random.chance(0.3)) {
    return random.list(1, 12, () => random.pick([...WORDS, ...PIECES])).join('');
  }
  const word = () =>
    random.chance(0.15)
      ? random.pick(PHRASES)
      : random.chance(0.1)
        ? `${random.pick(PIECES)}${random.pick(WORDS)}`
        : quoted(random, random.pick(WORDS));
  const separator = () =>
    random.pick([' ', ' ', ' ', ' ', ' ; ', ' && ', '|', '\n', random.pick(PIECES)]);
  return random.list(1, 7, () => `${word()}${separator()}`).join('');
}

function quoted(random: Random, word: string): string {
  const text = random.chance(0.2) ? `${word}${random.pick(PIECES)}` : word;
  return random.pick([word, word, word, `'${text}'`, `"${text}"`, `\\${text}`]);
}

const BUILTINS = new Set(
  execFileSync('bash', ['-c', 'compgen -b'], { encoding: 'utf8' }).trim().split('\n'),
);

/** Our reading of a line, if it can differ from what bash does. */
function promiseOf(line: string) {
  const read = readCommands(line);
  if (!read.isWhole) return [];
  const { commands, isCertain } = readForApproval(line, AGENT_COMMANDS);
  // In an uncertain line, an expansion, a builtin or the text of a heredoc may run other commands.
  const isTold =
    isCertain ||
    (!line.includes('<<') &&
      commands.length === read.commands.length &&
      !commands.some(([name = '']) => BUILTINS.has(name)));
  return isTold ? [{ line, commands, isCertain }] : [];
}

/** The differences between our reading and bash's. @param env the locale of bash. */
function escapes(count: number, seed: number, env: Record<string, string> = {}) {
  const random = new Random(seed);
  const promises = Array.from({ length: count }, () => randomLine(random)).flatMap(promiseOf);
  const lines = promises.map(({ line }) => line);
  const deeds = deedsOf(lines, PROGRAMS, { ...ENV, ...env });
  const found = promises.flatMap((promise, index) => {
    const { commands, isCertain } = promise;
    const { calls, files, changes } = deeds[index] ?? { calls: [], files: [], changes: 'unknown' };
    const isKnown = (call: readonly string[]) =>
      commands.some(
        (words) =>
          words.every((word, at) => word === call[at]) &&
          (!isCertain || words.length === call.length),
      );
    const unknown = calls.filter((call) => !isKnown(call));
    const isKept = unknown.length === 0 && !(isCertain && files.length + changes.length > 0);
    return isKept ? [] : [{ ...promise, unknown, files, changes }];
  });
  const certain = promises.filter(({ isCertain }) => isCertain).length;
  console.log(`certain lines: TEST_SEED=${seed} ${certain} of ${count}`);
  return { found: found.slice(0, 5), certain };
}

test(
  `a certain line runs only the commands that were read, in ${COUNT} random lines`,
  () => {
    const { found, certain } = escapes(COUNT, SEED);
    expect(found).toEqual([]);
    expect(certain).toBeGreaterThan(COUNT / 50);
  },
  300_000 + COUNT * 100,
);

test(
  'it is in GBK, too, where a backslash may be half a character',
  ({ skip }) => {
    const locale = localeWith('GBK');
    if (locale === undefined) return skip('no GBK here: install locales');
    const { found, certain } = escapes(COUNT / 2, SEED + 1, locale);
    expect(found).toEqual([]);
    expect(certain).toBeGreaterThan(COUNT / 100);
  },
  300_000 + COUNT * 100,
);

test.each([
  ['GBK', 'Agent 中\\;touch file'],
  ['GBK', 'Agent "中\\"; touch file #"'],
  ['BIG5', 'Agent 中\\;touch file'],
])(
  'in %s a line that runs another command than it seems to is not certain: %s',
  (charset, line) => {
    expect(readForApproval(line, AGENT_COMMANDS).isCertain).toBe(false);
    const locale = localeWith(charset);
    if (locale) {
      const [deeds] = deedsOf([line], [...PROGRAMS, 'touch'], { ...ENV, ...locale });
      expect(deeds?.calls.map(([name]) => name)).toContain('touch');
    }
  },
);

test.each([
  ...['\\npm test && "git" \'status\'', 'npm test -- 2>&1 >/dev/null', 'npm test >&2 | npm test &'],
  "npm test -t 'ends$' '修复' \"it's\" a\\ b",
  'Agent x 2>&1 > /dev/null; Agent y </dev/null &>>/dev/null & Agent',
  'Agent - <<\'EOF\'\n{"a":"修复 $(touch file) \\\nEOF "}\nEOF',
  ...['true && false || pwd', 'cd app; cd ..', 'test -f x', '[ -f x ] && [ "a" = b ]', 'echo a b'],
  ...["printf '%s\\n' 100% nothing", "printf -- '%5.2f%%\\n' 1"],
])('%j is certain', (line) => {
  expect(readForApproval(line, AGENT_COMMANDS).isCertain).toBe(true);
});

test.each([
  ...['npm test $FILE', '(npm test)', `npm test ${'x'.repeat(100_000)}`, 'npm test CC=gcc'],
  ...["npm test 'a[$(x)]'", "npm test '`x`'", "npm test '${x}'", "npm test '$[x]'"],
  ...['npm test;>f', 'npm test >f', 'npm test >&f', 'npm test &>f', 'npm test >&3', 'npm test <&0'],
  ...['npm test </etc/passwd', 'npm test 3>/dev/null', 'npm test <>/dev/null', 'npm test <<< x'],
  ...["'a b' c", '%1', "npm test <<'EOF'\nx\nEOF", 'npm test "修复"', 'Agent; Agent "修复"'],
  ...[
    'Agent x=1',
    "Agent <<'é'\nx\né",
    'Agent <<"EOF"\nx\nEOF',
    'Agent <<EOF\nx\nEOF',
    "Agent 0<<'E'\nx\nE",
  ],
  ...["Agent <<-'EOF'\nx\nEOF", "Agent <<'E1'\nx\nE1", "'let' x=1", '\\eval x', '"command" x'],
  ...['printf -v x y', 'printf -vx y', 'printf "-v" x y', "printf '%n' x", "printf '%s%n' 1 x"],
  ...["printf '% n' x", "printf '%ln' x", "printf '%*n' 1 x", "printf '%-5.3hhn' x", 'echo x=1'],
  ...["test -v 'x[1]'", '[ ! -v x ]', 'test -R x', 'cd', 'cd a b', 'cd -P a'],
])('%j is not: it may run or change more than it says', (line) => {
  expect(readForApproval(line, AGENT_COMMANDS).isCertain).toBe(false);
});

test('every builtin of this bash is known', () => {
  for (const name of BUILTINS) {
    const { isCertain } = readForApproval(`${name} x y`);
    const isSafe = ['echo', 'false', 'printf', 'pwd', 'test', '[', 'true'].includes(name);
    expect({ name, isCertain }).toEqual({ name, isCertain: isSafe });
  }
});
