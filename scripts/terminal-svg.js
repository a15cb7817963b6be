// Draws the screen of a terminal as SVG, as it looks in a dark theme and in a light one.

const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;
const FONT_SIZE = 14;
const BASELINE = 13;
const FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";

export const THEMES = {
  dark: {
    background: '#1b1d23',
    foreground: '#d7dae0',
    colours: { 1: '#f66151', 2: '#2ec27e', 3: '#e5c07b', 5: '#c678dd', 8: '#7f848e' },
  },
  light: {
    background: '#ffffff',
    foreground: '#24292f',
    colours: { 1: '#c01c28', 2: '#1a7f37', 3: '#9a6700', 5: '#8250df', 8: '#6e7781' },
  },
};

/** Boxes are drawn with lines: the glyphs of few fonts meet. */
const STROKES = {
  '─': 'M0 9h8.4',
  '│': 'M4.2 0v18',
  '┌': 'M8.4 9h-4.2v9',
  '┐': 'M0 9h4.2v9',
  '└': 'M4.2 0v9h4.2',
  '┘': 'M4.2 0v9h-4.2',
};
const DIM = ' opacity="0.6"';
const BLOCKS = { '█': 1, '░': 0.25 };

/** A picture of this many columns and rows, with whatever SVG is drawn in it, its first cell at 0 0. */
export function picture({ columns, rows, theme, title, style = '' }, body) {
  const width = round(columns * CELL.width + 2 * MARGIN);
  const height = rows * CELL.height + 2 * MARGIN;
  const { background, foreground } = THEMES[theme];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">
<title>${escapeXml(title)}</title>
${style}<rect width="100%" height="100%" rx="8" fill="${background}"/>
<g font-family="${FONT}" font-size="${FONT_SIZE}" fill="${foreground}" transform="translate(${MARGIN} ${MARGIN})" xml:space="preserve">
${body}</g>
</svg>
`;
}

/** The position of a row and of a column. */
export const rowTop = (y) => y * CELL.height;
export const columnLeft = (x) => round(x * CELL.width);

/**
 * One row of a terminal, at the top of its container; empty if blank.
 *
 * @param line of @xterm/headless.
 */
export function rowToSvg(line, columns, theme) {
  const strokes = [];
  const texts = [];
  const filled = [];
  let quiet = '';
  for (let x = 0; x < columns; x++) {
    const cell = line?.getCell(x);
    const character = cell?.getChars() ?? '';
    const left = round(x * CELL.width);
    if (cell?.isInverse()) filled.push({ x, colour: colourOf(cell, theme) });
    else if (cell?.isBgPalette())
      filled.push({ x, colour: paletteColour(cell.getBgColor(), theme) });
    if (STROKES[character]) {
      if (cell.isDim()) quiet = DIM;
      strokes.push(`<path transform="translate(${left})" d="${STROKES[character]}"/>`);
    } else if (BLOCKS[character]) {
      const look = `fill="${colourOf(cell, theme)}" fill-opacity="${BLOCKS[character]}"`;
      strokes.push(
        `<rect x="${left}" y="3" width="${CELL.width}" height="12" stroke="none" ${look}/>`,
      );
    } else if (character.trim() !== '') {
      const last = texts.at(-1);
      const look = lookOf(cell, theme);
      // Words of one style are one text; other glyphs than ASCII are placed singly, so that their width moves nothing.
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
  const written = texts.map(
    ({ x, look, text, end }) =>
      `<text x="${round(x * CELL.width)}" y="${BASELINE}" textLength="${round((end - x) * CELL.width)}"${look}>${escapeXml(text)}</text>`,
  );
  const frame =
    strokes.length > 0
      ? `<g fill="none" stroke="${THEMES[theme].foreground}"${quiet}>${strokes.join('')}</g>`
      : '';
  return bars(filled) + frame + written.join('');
}

/** Cells in inverse or on a colour, as bars behind the text. */
function bars(filled) {
  const runs = [];
  for (const { x, colour } of filled) {
    const last = runs.at(-1);
    if (last?.colour === colour && last.end === x) last.end = x + 1;
    else runs.push({ x, end: x + 1, colour });
  }
  return runs
    .map(
      ({ x, end, colour }) =>
        `<rect x="${round(x * CELL.width)}" width="${round((end - x) * CELL.width)}" height="${CELL.height}" fill="${colour}"/>`,
    )
    .join('');
}

function lookOf(cell, theme) {
  const { background, foreground } = THEMES[theme];
  const colour = cell.isInverse() ? background : colourOf(cell, theme);
  return [
    colour === foreground ? '' : ` fill="${colour}"`,
    cell.isBold() ? ' font-weight="bold"' : '',
    cell.isDim() ? DIM : '',
    cell.isStrikethrough() ? ' text-decoration="line-through"' : '',
  ].join('');
}

function colourOf(cell, theme) {
  return cell.isFgPalette() ? paletteColour(cell.getFgColor(), theme) : THEMES[theme].foreground;
}

/** The colours from 16 to 231 are a cube of six steps on every terminal, and those after it greys. */
function paletteColour(index, theme) {
  const { colours, foreground } = THEMES[theme];
  if (index < 16) return colours[index] ?? foreground;
  const levels = [0, 95, 135, 175, 215, 255];
  const place = index - 16;
  const cube = [Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6];
  const rgb =
    index < 232 ? cube.map((step) => levels[step]) : Array(3).fill(8 + 10 * (index - 232));
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function round(number) {
  return Math.round(number * 100) / 100;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
