// Rows as a table of Markdown, so that what is printed can be put on a page as it is.

const COLUMNS = [
  ['what', 60],
  ['against', 34],
  ['ours', 11],
  ['other', 10],
  ['ratio', 6],
  ['quartiles', 14],
  ['goal', 12],
  ['', 6],
];

export function printHead() {
  printCells(COLUMNS.map(([title]) => title));
  printCells(COLUMNS.map(([, width]) => '-'.repeat(width)));
}

/** One row; one that was left out says what is missing. */
export function printRow({ name, against = '', leftOut, unit, ours, other, ratio, goal, met }) {
  if (leftOut) {
    printCells([name, `left out: ${leftOut}`, '', '', '', '', '', '']);
    return;
  }
  printCells([
    name,
    against,
    withUnit(ours, unit),
    other === undefined ? '' : withUnit(other, unit),
    ratio ? ratio.median.toFixed(2) : '',
    ratio?.low === undefined ? '' : `${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)}`,
    goal ? goalText(goal, unit) : '',
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ]);
}

function goalText({ of, atMost, atLeast }, unit) {
  if (atLeast !== undefined) return `≥ ${withUnit(atLeast, unit)}`;
  return `≤ ${of === 'ratio' ? `${atMost} ×` : withUnit(atMost, unit)}`;
}

function withUnit(value, unit) {
  if (unit === 'ms' && value < 0.1) return `${rounded(1000 * value)} µs`;
  return unit === '' ? rounded(value) : `${rounded(value)} ${unit}`;
}

/** Three digits that count. */
function rounded(value) {
  return String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

function printCells(cells) {
  const padded = cells.map((cell, index) => cell.padEnd(COLUMNS[index][1]));
  console.log(`| ${padded.join(' | ')} |`);
}
