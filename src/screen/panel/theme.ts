import boxes, { type BoxStyle } from 'cli-boxes';
import { $, bold, dim, green, inverse, strikethrough } from 'kleur/colors';
import type { Status } from '../../base/command/status.ts';
import type { Environment } from '../../base/environment.ts';
import { type Background, backgroundOf } from '../terminal/background.ts';
import type { Paint } from '../terminal/lines.ts';

/** How a panel looks on one stream. Glyphs are one column wide, except `ellipsis` in ASCII. */
export interface Theme {
  readonly unicode: boolean;
  readonly frame: BoxStyle;
  readonly completed: string;
  readonly inProgress: string;
  readonly pending: string;
  readonly ellipsis: string;
  readonly dot: string;
  readonly minus: string;
  readonly chosen: string;
  readonly arrows: readonly [string, string];
  /** The done part of a bar, and the rest. */
  readonly bar: readonly [string, string];
  readonly paint: Paints;
  /** A whole row whose status has just changed to this one. */
  readonly fresh: Readonly<Record<Status, Paint>>;
}

type Glyphs = Omit<Theme, 'unicode' | 'paint' | 'fresh'>;

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
 * Colours from the palette of 256: those above 15 look the same on all terminals. Texts have a contrast of 4.5 or more. On an
 * unknown background, the active item has the magenta that the terminal's theme chose for it, and the selected row is inverse.
 */
export const ACTIVE_COLOURS = { dark: 141, light: 92 } as const;
/** Of a high priority. */
export const HIGH_COLOURS = { dark: 215, light: 94 } as const;
export const CHOSEN_COLOURS = { dark: [255, 236], light: [233, 254] } as const;
/** Both the text's colour by its status and what is behind it, so that one can be read whatever the terminal's theme is. */
export const FRESH_COLOURS = {
  dark: { completed: 114, in_progress: 141, pending: 255, behind: 235 },
  light: { completed: 22, in_progress: 92, pending: 233, behind: 255 },
  unknown: { completed: 157, in_progress: 183, pending: 255, behind: 239 },
} as const;

const STYLES = {
  completed: always((text) => dim(strikethrough(text))),
  inProgress: always(bold),
  pending: same,
  /** The mark of completed items, and their count. */
  done: same,
  chosen: always(inverse),
  strong: always(bold),
  faint: always(dim),
  high: always(bold),
};
type Paints = Readonly<Record<keyof typeof STYLES, Paint>>;

const freshBy = (paintOf: (status: Status) => Paint) => ({
  completed: paintOf('completed'),
  in_progress: paintOf('in_progress'),
  pending: paintOf('pending'),
});
const NO_PAINTS = Object.fromEntries(Object.keys(STYLES).map((name) => [name, same])) as Paints;

function coloursOn(background: Background, answered: Background): Paints {
  const active = background ? `\x1b[38;5;${ACTIVE_COLOURS[background]}m` : '\x1b[35m';
  const [text, behind] = answered ? CHOSEN_COLOURS[answered] : [];
  return {
    ...STYLES,
    inProgress: always((words) => `${active}${bold(words)}\x1b[39m`),
    done: always(green),
    ...(background && {
      high: always((words) => `\x1b[38;5;${HIGH_COLOURS[background]}m${words}\x1b[39m`),
    }),
    ...(answered && {
      chosen: bar(text, behind),
    }),
  };
}

/** A row in two colours of the palette. */
function bar(text = 0, behind = 0): Paint {
  return always((row) => `\x1b[38;5;${text};48;5;${behind}m${bold(row)}\x1b[39;49m`);
}

/**
 * The theme for a terminal with or without Unicode, colours, and styles such as bold, which colours imply.
 *
 * @param options.background as the environment tells it, so that all who draw on a terminal use the same colour.
 * @param options.answered what the terminal itself has answered, for the selected row.
 */
export function createTheme({
  unicode = true,
  colours = false,
  styles = false,
  background,
  answered = background,
}: {
  unicode?: boolean;
  colours?: boolean;
  styles?: boolean;
  background?: Background;
  answered?: Background;
} = {}): Theme {
  const glyphs = unicode ? GLYPHS.unicode : GLYPHS.ascii;
  if (!colours) {
    const fresh = styles ? always((row) => bold(inverse(row))) : same;
    return { ...glyphs, unicode, paint: styles ? STYLES : NO_PAINTS, fresh: freshBy(() => fresh) };
  }
  const colour = FRESH_COLOURS[answered ?? 'unknown'];
  const fresh = freshBy((status) => bar(colour[status], colour.behind));
  return { ...glyphs, unicode, paint: coloursOn(background, answered), fresh };
}

const PLAIN_UNICODE = /* @__PURE__ */ createTheme();
const PLAIN_ASCII = /* @__PURE__ */ createTheme({ unicode: false });

/** The same glyphs without styles, as text for a bar; made once, since each fresh row of a frame asks for it. */
export function plainTheme({ unicode }: Theme): Theme {
  return unicode ? PLAIN_UNICODE : PLAIN_ASCII;
}

/** The theme for a stream and its user's environment. */
export function themeFor(
  stream: { isTTY?: boolean },
  env: Environment,
  answered?: Background,
): Theme {
  const background = backgroundOf(env);
  const colours = hasColours(stream, env);
  // NO_COLOR leaves styles.
  const styles = canDraw(stream, env) && Boolean(env.NO_COLOR);
  return createTheme({ unicode: hasUnicode(env), colours, styles, background, answered });
}

/** Without a locale, true: nearly every terminal shows Unicode. */
function hasUnicode(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return env.TERM !== 'linux' && (!locale || /utf-?8/i.test(locale));
}

/** NO_COLOR decides, then FORCE_COLOR, then whether the stream is a capable terminal. */
export function hasColours(stream: { isTTY?: boolean }, env: Environment): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !/^(0|false)$/i.test(env.FORCE_COLOR);
  return canDraw(stream, env);
}

/** True for a terminal that understands escape sequences. */
export function canDraw(stream: { isTTY?: boolean }, { TERM }: Environment): boolean {
  return stream.isTTY === true && TERM !== 'dumb';
}

function same(text: string): string {
  return text;
}

/** kleur's switch is global and set from process.stdout: it is set for each call, and restored for other users of kleur. */
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
