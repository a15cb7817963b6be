import { expect, test } from 'vitest';
import { lastRun } from '../../../src/base/proof/last-run.ts';
import { SeenLines } from '../../../src/shell/router/router-session.ts';

/** Lines as `CODE LINE`, a second each; `-` for an unknown code. */
function seen(...lines: string[]) {
  return lines.map((text, second) => {
    const [code = '', ...words] = text.split(' ');
    const exitCode = code === '-' ? undefined : Number(code);
    const from = new Date(second * 1000);
    return { line: words.join(' '), exitCode, from, at: new Date(second * 1000 + 999) };
  });
}

const START = new Date(0);

test.each([
  ['npm test', 'npm test'],
  ['npm test', '  npm   test  '],
  ['npm test', `npm 'test'`],
  ['npm test', 'npm test > log 2>&1'],
  ['npm test', 'cd app && npm test'],
  ['npm test', 'npm run build && npm test && echo done'],
  ['npm test', 'false; cd app && npm test # twice'],
  ['npm test', 'npm test <<EOF\n&& x\nEOF'],
  ['npm run lint && npm test', 'npm run lint  &&  npm test'],
  ['npm run lint && npm test', 'cd app && npm run lint && npm test'],
  ['npm test | tee log', 'npm test | tee log'],
  ['test -f "$HOME/x"', 'cd . && test -f "$HOME/x"'],
  ['./run.sh --fast=yes', './run.sh "--fast=yes"'],
])('%j is proven by the line %j, which ended with 0', (command, line) => {
  expect(lastRun(command, START, seen(`0 ${line}`))?.line).toBe(line);
});

test.each([
  ['npm test', 'npm test -- --grep none'],
  ['npm test', 'echo npm test'],
  ['npm test', '# npm test'],
  ['npm test', 'npm test | tail -3'],
  ['npm test', 'npm test || true'],
  ['npm test', 'npm test; true'],
  ['npm test', 'npm test &'],
  ['npm test', 'true && npm test &'],
  ['npm test', '! npm test'],
  ['npm test', 'exit 0 && npm test'],
  ['npm test', 'exec true && npm test'],
  ['npm test', 'set -n && npm test'],
  ['npm test', '$SKIP && npm test'],
  ['npm test', 'if false; then npm test; fi'],
  ['npm test', 'false || npm test'],
  ['npm test', 'npm() { true; }; npm test'],
  ['npm test', 'cat <<EOF\nnpm test\nEOF'],
  ['npm test', 'CI=1 npm test'],
  ['npm test > log', 'npm test'],
  ['npm run lint && npm test', 'npm test && npm run lint'],
  ['npm run lint && npm test', 'npm run lint; npm test'],
  ['echo $X', `echo '$X'`],
  ['ls *.ts', `ls '*.ts'`],
  ['X=1 make', `'X=1' make`],
])('%j is not proven by the line %j', (command, line) => {
  expect(lastRun(command, START, seen(`0 ${line}`))).toBeUndefined();
});

test('only lines that began since then count', () => {
  const lines = seen('0 npm test', '0 ls');
  expect(lastRun('npm test', new Date(0), lines)).toBeDefined();
  expect(lastRun('npm test', new Date(1), lines)).toBeUndefined();
});

test('a line with an unknown exit code proves nothing', () => {
  expect(lastRun('npm test', START, seen('- npm test'))).toBeUndefined();
});

test('a check that failed later, or may have, is unproven until it passes again', () => {
  expect(lastRun('npm test', START, seen('0 npm test', '1 npm test'))).toBeUndefined();
  expect(lastRun('npm test', START, seen('0 npm test', '1 cd app && npm test'))).toBeUndefined();
  expect(lastRun('npm test', START, seen('0 npm test', '1 '))).toBeUndefined();
  expect(lastRun('npm test', START, seen('0 npm test', '1 for i in 1; do npm test; done'))).toBe(
    undefined,
  );
  expect(lastRun('npm test', START, seen('0 npm test', '1 grep x'))).toBeDefined();
  expect(lastRun('npm test', START, seen('1 npm test', '0 npm test'))).toBeDefined();
});

test('what stands before a command proves something only while its line runs', async () => {
  const seen = new SeenLines();
  const [line, words] = ['npm test && TodoWrite --prove', ['TodoWrite', '--prove']];
  const before = () => seen.before(words).map(({ line: text }) => text);
  await seen.run(line, line, async () => {
    expect(before()).toEqual(['npm test']);
    return { exitCode: 1 };
  });
  expect(before()).toEqual([line]);
});
