// Draws the README's picture, docs/panel.svg, from what the demo shows on a terminal when its plan is half done.
// `npm run picture` writes the file; with `-` as argument the picture goes to stdout.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import xterm from '@xterm/headless';
import { playDemo } from './demo.js';

const COLUMNS = 80;
const ROWS = 22;
const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;
const FONT_SIZE = 14;
const BACKGROUND = '#1b1d23';
const FOREGROUND = '#d7dae0';
const PALETTE = { 3: '#e5c07b', 8: '#7f848e' };
/** The moment is the one after this was printed. */
const LAST_OUTPUT = 'title// /-}.md"';

/** The box is drawn with lines: the glyphs of few fonts meet. */
const STROKES = {
  '─': 'M0 9h8.4',
  '│': 'M4.2 0v18',
  '┌': 'M8.4 9h-4.2v9',
  '┐': 'M0 9h4.2v9',
  '└': 'M4.2 0v9h4.2',
  '┘': 'M4.2 0v9h-4.2',
};

const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
const stream = {
  isTTY: true,
  columns: COLUMNS,
  rows: ROWS,
  write: (chunk) => terminal.write(chunk),
};

/** Time that passes only where the demo pauses, so that the picture is the same each time. */
const clock = {
  time: 0,
  timers: new Set(),
  now: () => clock.time,
  after(milliseconds, callback) {
    const timer = { due: clock.time + milliseconds, callback };
    clock.timers.add(timer);
    return () => clock.timers.delete(timer);
  },
  pass(milliseconds) {
    const end = clock.time + milliseconds;
    for (let next = clock.next(end); next; next = clock.next(end)) {
      clock.timers.delete(next);
      clock.time = next.due;
      next.callback();
    }
    clock.time = end;
  },
  next: (end) => [...clock.timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0],
};

let picture = '';

await playDemo(stream, {
  env: { TERM: 'xterm-256color', LANG: 'C.UTF-8' },
  clock,
  pace: 0,
  async pause(milliseconds) {
    clock.pass(milliseconds);
    await new Promise((resolve) => terminal.write('', resolve));
    if (picture === '' && screenText().includes(LAST_OUTPUT)) picture = toSvg();
  },
});

if (process.argv[2] === '-') process.stdout.write(picture);
else writeFileSync(join(dirname(import.meta.dirname), 'docs', 'panel.svg'), picture);

function rows() {
  const { baseY } = terminal.buffer.active;
  return Array.from({ length: ROWS }, (_, y) => terminal.buffer.active.getLine(baseY + y));
}

function screenText() {
  return rows()
    .map((row) => row.translateToString(true))
    .join('\n');
}

function toSvg() {
  const lines = rows();
  while (lines.at(-1).translateToString(true) === '') lines.pop();
  const width = COLUMNS * CELL.width + 2 * MARGIN;
  const height = lines.length * CELL.height + 2 * MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">
<title>A terminal: commands and their output, and below them a box with five tasks, one of them in progress</title>
<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${FONT_SIZE}" fill="${FOREGROUND}" transform="translate(${MARGIN} ${MARGIN})" xml:space="preserve">
${lines.map(lineToSvg).join('')}</g>
</svg>
`;
}

function lineToSvg(line, y) {
  const strokes = [];
  const texts = [];
  for (let x = 0; x < COLUMNS; x++) {
    const cell = line.getCell(x);
    const character = cell.getChars();
    const position = `translate(${round(x * CELL.width)} ${y * CELL.height})`;
    if (STROKES[character]) {
      strokes.push(`<path transform="${position}" d="${STROKES[character]}"/>`);
    } else if (character.trim() !== '') {
      const last = texts.at(-1);
      const look = lookOf(cell);
      // Words of one look are one text; a glyph outside of ASCII gets its own place, lest its width move what follows.
      const joins =
        last?.look === look && last.end >= x - 1 && /^[ -~]+$/.test(last.text + character);
      if (joins) {
        last.text += ' '.repeat(x - last.end) + character;
        last.end = x + 1;
      } else {
        texts.push({ x, look, text: character, end: x + 1 });
      }
    }
  }
  const baseline = y * CELL.height + 13;
  const written = texts.map(
    ({ x, look, text, end }) =>
      `<text x="${round(x * CELL.width)}" y="${baseline}" textLength="${round((end - x) * CELL.width)}"${look}>${escapeXml(text)}</text>`,
  );
  const frame =
    strokes.length > 0 ? `<g fill="none" stroke="${FOREGROUND}">${strokes.join('')}</g>` : '';
  return frame + written.join('') + (frame || written.length > 0 ? '\n' : '');
}

function lookOf(cell) {
  const colour = cell.isFgPalette() ? PALETTE[cell.getFgColor()] : undefined;
  return [
    colour ? ` fill="${colour}"` : '',
    cell.isBold() ? ' font-weight="bold"' : '',
    cell.isDim() ? ' opacity="0.6"' : '',
  ].join('');
}

function round(number) {
  return Math.round(number * 100) / 100;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
