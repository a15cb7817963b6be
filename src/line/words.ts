import { quote } from './quote.ts';
import { loadParse } from './shell-quote.ts';

/** One word of a shell line. */
export interface Word {
  /** What bash passes on. If the word is not literal: its text without quotes, variables and patterns as written. */
  readonly text: string;
  readonly written: string;
  /** Whether bash expands nothing in it, so that `text` is certain. */
  readonly isLiteral: boolean;
  /** Where it begins in the line. */
  readonly start: number;
}

/** In longer lines only words of one piece are read: shell-quote's patterns overflow the stack on megabytes. */
const MAX_READ_LENGTH = 64 * 1024;

const SINGLE = String.raw`'[^'\0]*'`;
const BARE = String.raw`[\w@%+=:,./-]`;
const ESCAPE = String.raw`\\[^\n\0]`;
const VARIABLE = String.raw`\$(?:\w+|[*@#?!$-]|\{[^\s{}"'\x60$\\|&;()<>]+\})`;
// One character or one piece at a time, so that each text matches in one way only.
const PIECE = new RegExp(`${BARE}+|${SINGLE}`, 'y');
const LITERAL = new RegExp(
  String.raw`(?:${BARE}|${SINGLE}|"(?:[^"\\$\x60\0]|\\["\\$])*"|${ESCAPE})+`,
  'uy',
);
const OTHER = new RegExp(
  `(?:${[
    ...[BARE, SINGLE, ESCAPE, VARIABLE],
    String.raw`"(?:[^"\\$\x60\0]|\\[^\0]|${VARIABLE}|\$(?![\w*@#?!$\x60({[-]))*"`,
    // Patterns, braces, tildes, letters beyond ASCII.
    String.raw`[^\s'"\\|&;()<>\x60$\0]|\$(?![\w*@#?!$\x60({['"-])`,
  ].join('|')})+`,
  'uy',
);
/** Before a parenthesis a word is something else, such as a function. */
const WORD_END = /[ \t\n;&|<>)]|$/y;
const BLANKS = /[ \t]*/y;
/** A stretch in single quotes, one in double quotes, or a character after a backslash. */
const QUOTED = /('[^']*')|("[^"\\]*(?:\\[\s\S][^"\\]*)*")|\\([\s\S])/gu;

/** The word that begins at `start`; undefined if none does, or if it holds something that only bash can read. */
export function readWord(line: string, start: number): Word | undefined {
  const piece = matchAt(PIECE, line, start);
  if (piece !== undefined) {
    const text = piece.startsWith("'") ? piece.slice(1, -1) : piece;
    return { text, written: piece, isLiteral: true, start };
  }
  if (line.length > MAX_READ_LENGTH) return undefined;
  const literal = matchAt(LITERAL, line, start);
  const written = literal ?? matchAt(OTHER, line, start);
  // Bash reads {name}> as a redirection that assigns to a variable.
  if (
    written === undefined ||
    (/\}$/.test(written) && /[<>]/.test(line.charAt(start + written.length)))
  )
    return undefined;
  return { text: textOf(written), written, isLiteral: literal !== undefined, start };
}

/**
 * The words of a line that is one simple command of literal words:
 *
 *     bare  = [A-Za-z0-9_@%+=:,./-]
 *     word  = ( bare | '[^']*' | "( [^"\\$`] | \\["\\$] )*" | \\[^\n] )+
 *     line  = blank* word ( blank+ word )* blank*          blank = space or tab
 *
 * Takes time linear in the length of the line.
 *
 * @returns undefined if the line is anything else, or if its first word is not one of `names`: then bash has to read it.
 */
export function literalWords(
  line: string,
  names?: { has(name: string): boolean },
): readonly string[] | undefined {
  const words: string[] = [];
  for (let at = skipBlanks(line, 0); at < line.length; ) {
    const word = readWord(line, at);
    if (!word?.isLiteral) return undefined;
    words.push(word.text);
    if (words.length === 1 && names?.has(word.text) === false) return undefined;
    at = skipBlanks(line, at + word.written.length);
  }
  return words.length > 0 ? words : undefined;
}

/** A text without what bash reads as quoted. */
export function withoutQuoted(text: string): string {
  return text.replace(QUOTED, '');
}

/** A text without what bash reads as in single quotes. */
export function outsideSingleQuotes(text: string): string {
  return text.replace(QUOTED, (piece, single?: string) => (single === undefined ? piece : ''));
}

export function areQuotesClosed(text: string): boolean {
  return !/['"\\]/.test(withoutQuoted(text));
}

function matchAt(pattern: RegExp, line: string, start: number): string | undefined {
  pattern.lastIndex = start;
  const [match] = pattern.exec(line) ?? [];
  if (match === undefined) return undefined;
  WORD_END.lastIndex = start + match.length;
  return WORD_END.test(line) ? match : undefined;
}

function skipBlanks(line: string, from: number): number {
  BLANKS.lastIndex = from;
  BLANKS.test(line);
  return BLANKS.lastIndex;
}

/** The text of a word of several pieces, as shell-quote reads it. */
function textOf(written: string): string {
  // Outside quotes it takes what follows a backslash for a pattern or a blank now and then.
  const quoted = written.replace(QUOTED, (piece, _single, _double, escaped?: string) =>
    escaped === undefined ? piece : quote(escaped),
  );
  const [entry, ...more] = loadParse()(quoted, (name) => `$${name}`);
  if (typeof entry === 'string' && more.length === 0) return entry;
  return typeof entry === 'object' && 'pattern' in entry ? entry.pattern : written;
}
