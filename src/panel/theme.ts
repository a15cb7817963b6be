import boxes, { type BoxStyle } from 'cli-boxes';
import { $, bold, dim, grey, yellow } from 'kleur/colors';

/** The variables of an environment, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Paint = (text: string) => string;

/** How a panel looks on one stream. Every glyph is one column wide, but for `ellipsis` in ASCII. */
export interface Theme {
  readonly unicode: boolean;
  readonly frame: BoxStyle;
  readonly completed: string;
  readonly inProgress: string;
  readonly pending: string;
  readonly ellipsis: string;
  readonly paint: Readonly<
    Record<'completed' | 'inProgress' | 'bright' | 'pending' | 'strong' | 'faint', Paint>
  >;
}

const GLYPHS = {
  unicode: { frame: boxes.single, completed: '✓', inProgress: '●', pending: '○', ellipsis: '…' },
  ascii: { frame: boxes.classic, completed: 'x', inProgress: '>', pending: '-', ellipsis: '...' },
} as const;

const NO_COLOURS = {
  completed: same,
  inProgress: same,
  bright: same,
  pending: same,
  strong: same,
  faint: same,
};

const COLOURS = {
  completed: always(grey),
  inProgress: always(yellow),
  bright: always((text) => bold(yellow(text))),
  pending: always(dim),
  /** For what stands around the lists: a name, and what is said about it. */
  strong: always(bold),
  faint: always(dim),
};

/** The theme for a terminal that has, or has not, Unicode and colours. */
export function createTheme({ unicode = true, colours = false } = {}): Theme {
  const glyphs = unicode ? GLYPHS.unicode : GLYPHS.ascii;
  return { ...glyphs, unicode, paint: colours ? COLOURS : NO_COLOURS };
}

/** The theme that suits a stream, by the environment of its user. */
export function themeFor(stream: { isTTY?: boolean }, env: Environment): Theme {
  return createTheme({ unicode: hasUnicode(env), colours: hasColours(stream, env) });
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
