import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './helpers/files.ts';

const SCRIPTS = join(import.meta.dirname, '..', 'scripts', 'bench');

/** The values of expressions of the benchmark's own functions. */
const evaluate = (file: string, expression: string) => {
  const program = `import * as it from ${JSON.stringify(join(SCRIPTS, file))}; console.log(JSON.stringify(${expression}))`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }),
  );
};

test('the peak memory of a command is that of a Node, although it closes its outputs before it ends', () => {
  const folder = JSON.stringify(temporaryDirectory());
  expect(evaluate('processes.js', `it.peakMebibytes(${folder}, 'TodoRead')`)).toBeGreaterThan(20);
});

test('a row with a figure that cannot be fails, except where none is the best', () => {
  const ratio = (median: number) => `{ ours: 1, other: 1, ratio: { median: ${median} } }`;
  const never = `[{ ours: 0 }, { ours: -1 }, { ours: 1, other: 0 }, ${ratio(0)}, ${ratio(Number.NaN)}, { ours: NaN, canBeNone: true }]`;
  const may = `[{ ours: 0, canBeNone: true }, { ours: -1, canBeNone: true }, ${ratio(1)}]`;
  expect(evaluate('table.js', `[${never}, ${may}].map((rows) => rows.map(it.isMet))`)).toEqual([
    [false, false, false, false, false, false],
    [null, null, null],
  ]);
});

test('a row without a figure fails, unless it was left out', () => {
  const goal = "{ of: 'ours', atMost: 5 }";
  const rows = `[{ goal: ${goal}, ours: NaN }, { ours: NaN }, {}, { goal: ${goal}, ours: 5 }, { goal: ${goal}, ours: 6 }]`;
  const left =
    "[{ ours: 1 }, { leftOut: 'no /proc' }].map(it.isMet).filter((met) => met === undefined)";
  expect(evaluate('table.js', `[${rows}.map(it.isMet), ${left}.length]`)).toEqual([
    [false, false, false, true, false],
    2,
  ]);
});
