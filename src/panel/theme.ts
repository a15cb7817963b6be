import boxes, { type BoxStyle } from 'cli-boxes';
import { $, bold, dim, green, inverse, strikethrough } from 'kleur/colors';
import type { Environment } from '../environment.ts';

/** The variables of an environment, as `process.env` holds them. */

type Paint = (text: string) => string;

type PaintName =
  | 'completed'
  | 'inProgress'
  | 'pending'
  /** The mark of completed items, and how many there are. */
  | 'done'
  /** A row that has changed its state just now. */
  | 'fresh'
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
  readonly paint: Readonly<Record<PaintName, Paint>>;
}

const GLYPHS = {
  unicode: { frame: boxes.single, completed: '✓', inProgress: '●', pending: '○', ellipsis: '…' },
  ascii: { frame: boxes.classic, completed: 'x', inProgress: '>', pending: '-', ellipsis: '...' },
} as const;

/**
 * What is in progress, by its number in the palette of 256 colours: those above 15 look the same on all terminals. Of
 * these it is one of six that can be read on black and on white alike (contrast 4.5 and more).
 */
export const ACTIVE_COLOUR = 163;

const NOTHING = {
  completed: same,
  inProgress: same,
  pending: same,
  done: same,
  fresh: same,
  strong: same,
  faint: same,
};

const STYLES = {
  ...NOTHING,
  completed: always((text) => dim(strikethrough(text))),
  inProgress: always(bold),
  fresh: always((text) => bold(inverse(text))),
  strong: always(bold),
  faint: always(dim),
};

const COLOURS = {
  ...STYLES,
  inProgress: always((text) => `\x1b[38;5;${ACTIVE_COLOUR}m${bold(text)}\x1b[39m`),
  done: always(green),
};

/**
 * The theme for a terminal that has, or has not, Unicode, colours, and styles: bold, dim and the like. Colours come with
 * styles.
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

/** The theme that suits a stream, by the environment of its user. */
export function themeFor(stream: { isTTY?: boolean }, env: Environment): Theme {
  const colours = hasColours(stream, env);
  return createTheme({
    unicode: hasUnicode(env),
    colours,
    styles: colours || hasStyles(stream, env),
  });
}

/** Whether the terminal shows Unicode. An unset locale says nothing; nearly every terminal of today does. */
export function hasUnicode(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return env.TERM !== 'linux' && (!locale || /utf-?8/i.test(locale));
}

/** Whether to colour: NO_COLOR first, then FORCE_COLOR, then whether the stream is a terminal that can. */
export function hasColours(stream: { isTTY?: boolean }, env: Environment): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !/^(0|false)$/i.test(env.FORCE_COLOR);
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Who wants no colours may still have the rest of what a terminal can. */
function hasStyles(stream: { isTTY?: boolean }, env: Environment): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb' && !!env.NO_COLOR;
}

function same(text: string): string {
  return text;
}

/** kleur has one switch for the whole process, set from the wrong stream; it is put back for its other users. */
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
