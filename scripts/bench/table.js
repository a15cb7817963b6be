// Rows as a table of text, which docs/benchmarks.md holds as it is printed.

const COLUMNS = [
  ['what', 34],
  ['against', 17],
  ['ours', 9],
  ['ratio', 6],
  ['goal', 9],
];
const TEXTS = 2;

export function printHead() {
  printCells(COLUMNS.map(([title]) => title));
}

/** One row; one that was left out says what is missing. */
export function printRow({ name, against = '', leftOut, unit, ours, ratio, goal, met }) {
  if (leftOut) {
    printCells([name, `left out: ${leftOut}`]);
    return;
  }
  printCells([
    name,
    against,
    withUnit(ours, unit),
    ratio ? ratio.median.toFixed(2) : '',
    goal ? goalText(goal, unit) : '',
    met === false ? 'missed' : '',
  ]);
}

/**
 * Undefined without a goal. A row without a figure, or with one that cannot be, meets none: 0 and less are figures only of a
 * row that `canBeNone`, such as a growth.
 */
export function isMet({ goal, ours, other = ours, ratio, leftOut, canBeNone = false }) {
  if (leftOut) return undefined;
  const figures = [ours, other, ...Object.values(ratio ?? {})];
  if (!figures.every((value) => Number.isFinite(value) && (canBeNone || value > 0))) return false;
  if (!goal) return undefined;
  const { of, atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = goal;
  const value = of === 'ratio' ? ratio.median : ours;
  return value >= atLeast && value <= atMost;
}

function goalText({ of, atMost, atLeast }, unit) {
  if (atLeast !== undefined) return `≥${withUnit(atLeast, unit)}`;
  return `≤${of === 'ratio' ? atMost.toFixed(2) : withUnit(atMost, unit)}`;
}

function withUnit(value, unit) {
  if (unit === 'ms' && value < 0.1) return `${rounded(1000 * value)} µs`;
  return unit === '' ? rounded(value) : `${rounded(value)} ${unit}`;
}

/** Three digits that count. */
function rounded(value) {
  return String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

/** Texts to the left of their columns, numbers to the right. */
function printCells(cells) {
  const padded = cells.map((cell, index) => {
    const width = COLUMNS[index]?.[1] ?? 0;
    return index < TEXTS ? cell.padEnd(width) : cell.padStart(width);
  });
  console.log(padded.join(' ').trimEnd());
}
