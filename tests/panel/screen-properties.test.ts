import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Screen } from '../../src/panel/screen.ts';
import { VirtualTerminal } from '../helpers/virtual-terminal.ts';

const RUNS = Number(300);

type Step =
  | { type: 'output'; text: string }
  | { type: 'panel'; rows: string[] }
  | { type: 'resize'; columns: number; rows: number };

const size = fc.record({
  columns: fc.integer({ min: 2, max: 40 }),
  rows: fc.integer({ min: 1, max: 15 }),
});

const panel = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.integer())
  .map(([height, version]) =>
    Array.from({ length: height }, (_, row) => (row === 0 ? '┌─ Tasks ' : `│ ${row} v${version}`)),
  );

const panelStep = panel.map((rows): Step => ({ type: 'panel', rows }));
const resizeStep = size.map((to): Step => ({ type: 'resize', ...to }));

function outputStep(piece: fc.Arbitrary<string>): fc.Arbitrary<Step> {
  return fc.array(piece, { maxLength: 8 }).map((pieces) => ({ type: 'output', text: pieces.join('') }));
}

const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,30}$/),
  fc.constantFrom('\n', '\n', ' ', '\x1b[31m', '\x1b[41;1m', '\x1b[0m'),
);

/** The rows of a panel as they fit in the size of the screen. */
function fitting(rows: string[], screen: Screen): string[] {
  return rows
    .map((row) => row.slice(0, screen.columns - 1).trimEnd())
    .slice(0, Math.max(0, screen.rows - 1));
}

async function run(start: { columns: number; rows: number }, steps: Step[], options: {partial?:boolean} = {}) {
  const terminal = new VirtualTerminal(start.columns, start.rows, options);
  const screen = new Screen(terminal);
  let output = '';
  let rows: string[] = [];
  for (const step of steps) {
    if (step.type === 'output') {
      output += step.text;
      screen.writeOutput(step.text);
    } else if (step.type === 'panel') {
      rows = step.rows;
      screen.setPanel(fitting(rows, screen));
    } else {
      await terminal.resize(step.columns, step.rows);
      screen.redraw(fitting(rows, screen));
    }
    const text = output.replace(/\x1b\[[\d;]*m/g, '');
    if (options.partial) expect((await terminal.linesToCursor()).join()).not.toContain('T');
    else expect(await terminal.linesToCursor()).toEqual(text.split('\n'));
    expect(await terminal.rowsBelowCursor()).toEqual(fitting(rows, screen));
  }
}

test('output is intact and in order, and the panel is below it exactly once, whatever comes in pieces', async () => {
  await fc.assert(
    fc.asyncProperty(size, fc.array(fc.oneof(outputStep(word), panelStep), { maxLength: 12 }), (a,b)=>run(a,b)),
    { numRuns: RUNS },
  );
});

test('and so it is when the terminal changes its size between lines', async () => {
  const line = outputStep(word).map((step) => ({ ...step, text: `${(step as any).text}\n` }) as Step);
  await fc.assert(
    fc.asyncProperty(size, fc.array(fc.oneof(line, panelStep, resizeStep), { maxLength: 14 }), (a,b)=>run(a,b)),
    { numRuns: RUNS },
  );
});

test('with partial lines', async () => {
  await fc.assert(
    fc.asyncProperty(size, fc.array(fc.oneof(outputStep(word), panelStep, resizeStep), { maxLength: 14 }), (a,b)=>run(a,b,{partial:true})),
    { numRuns: RUNS },
  );
});
