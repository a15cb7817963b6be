import boxes, { type BoxStyle } from 'cli-boxes';
import { $, bold, dim, green, inverse, strikethrough } from 'kleur/colors';
import type { Environment } from '../environment.ts';

type Paint = (text: string) => string;

type PaintName =
  | 'completed'
  | 'inProgress'
  | 'pending'
  /** The mark of completed items, and their count. */
  | 'done'
  /** A row whose status has just changed. */
  | 'fresh'
  /** The selected row. */
  | 'chosen'
  /** The text around the lists: names and remarks. */
  | 'strong'
  | 'faint';

/** How a panel looks on one stream. Every glyph is one column wide, but for `ellipsis` in ASCII. */
export interface Theme {
  readonly unicode: boolean;
  readonly frame: BoxStyle;
  readonly completed: string;
  readonly inProgress: string;
  readonly pending: string;
  readonly ellipsis: string;
  /** Between facts. */
  readonly dot: string;
  readonly minus: string;
  /** Before the selected row. */
  readonly chosen: string;
  /** Up and down. */
  readonly arrows: readonly [string, string];
  /** A bar's part that is done, and the rest. */
  readonly bar: readonly [string, string];
  readonly paint: Readonly<Record<PaintName, Paint>>;
}

type Glyphs = Omit<Theme, 'unicode' | 'paint'>;

const GLYPHS: Record<'unicode' | 'ascii', Glyphs> = {
  unicode: {
    ...{ frame: boxes.single, completed: '✓', inProgress: '●', pending: '○', ellipsis: '…' },
    ...{ dot: '·', minus: '−', chosen: '▸', arrows: ['↑', '↓'], bar: ['━', '─'] },
  },
  ascii: {
    ...{ frame: boxes.classic, completed: 'x', inProgress: '>', pending: '-', ellipsis: '...' },
    ...{ dot: '-', minus: '-', chosen: '*', arrows: ['^', 'v'], bar: ['=', '-'] },
  },
};

/** The key of each status in a theme. */
export const GLYPH_OF = {
  completed: 'completed',
  in_progress: 'inProgress',
  pending: 'pending',
} as const;

/**
 * The colour of what is in progress, in the palette of 256 colours: those above 15 look the same on all terminals. It is one
 * of six that are readable on both black and white (contrast 4.5 and more).
 */
export const ACTIVE_COLOUR = 163;

const NOTHING = {
  completed: same,
  inProgress: same,
  pending: same,
  done: same,
  fresh: same,
  chosen: same,
  strong: same,
  faint: same,
};

const STYLES = {
  ...NOTHING,
  completed: always((text) => dim(strikethrough(text))),
  inProgress: always(bold),
  fresh: always((text) => bold(inverse(text))),
  chosen: always(inverse),
  strong: always(bold),
  faint: always(dim),
};

const COLOURS = {
  ...STYLES,
  inProgress: always((text) => `\x1b[38;5;${ACTIVE_COLOUR}m${bold(text)}\x1b[39m`),
  done: always(green),
};

/**
 * The theme for a terminal with or without Unicode, colours, and styles (bold, dim and the like). Colours imply styles.
 */
export function createTheme({
  unicode = true,
  colours = false,
  styles = colours,
}: {
  unicode?: boolean;
  colours?: boolean;
  styles?: boolean;
} = {}): Theme {
  const glyphs = unicode ? GLYPHS.unicode : GLYPHS.ascii;
  return { ...glyphs, unicode, paint: colours ? COLOURS : styles ? STYLES : NOTHING };
}

/** The theme for a stream and its user's environment. */
export function themeFor(stream: { isTTY?: boolean }, env: Environment): Theme {
  const colours = hasColours(stream, env);
  return createTheme({
    unicode: hasUnicode(env),
    colours,
    styles: colours || hasStyles(stream, env),
  });
}

/** Whether the terminal shows Unicode. If no locale is set, assume so: nearly every terminal does. */
export function hasUnicode(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return env.TERM !== 'linux' && (!locale || /utf-?8/i.test(locale));
}

/** Whether to use colours: NO_COLOR decides, then FORCE_COLOR, then whether the stream is a capable terminal. */
export function hasColours(stream: { isTTY?: boolean }, env: Environment): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !/^(0|false)$/i.test(env.FORCE_COLOR);
  return canDraw(stream, env);
}

/** Without colours, a terminal can still show styles. */
function hasStyles(stream: { isTTY?: boolean }, env: Environment): boolean {
  return canDraw(stream, env) && !!env.NO_COLOR;
}

/** Whether the stream is a terminal that understands escape sequences. */
export function canDraw(stream: { isTTY?: boolean }, { TERM }: Environment): boolean {
  return stream.isTTY === true && TERM !== 'dumb';
}

function same(text: string): string {
  return text;
}

/** kleur has one switch for the whole process, set from the wrong stream. It is restored for kleur's other users. */
function always(paint: Paint): Paint {
  return (text) => {
    const before = $.enabled;
    $.enabled = true;
    try {
      return paint(text);
    } finally {
      $.enabled = before;
    }
  };
}
