import { loadParse } from './shell-quote.ts';

/** A word of a shell line. */
export interface Word {
  /** Without quotes. If the word is not literal, variables and patterns are as written. */
  readonly text: string;
  readonly written: string;
  /** Bash expands nothing in it, so `text` is certain. */
  readonly isLiteral: boolean;
  /** An index into the line. */
  readonly start: number;
}

/** In longer lines, only words of one piece are read: the patterns of others overflow the stack on megabytes. */
const MAX_READ_LENGTH = 64 * 1024;

const BARE = /[\w@%+=:,./-]+/y;
// These match in one way only, so they take linear time.
const LITERAL = /(?:[\w@%+=:,./-]|'[^']*'|"(?:[^"\\$`]|\\["\\$])*"|\\[^\n])+/uy;
const VARIABLE = String.raw`\$(?:\w+|[*@#?!$-]|\{[^\s{}"'\x60$\\|&;()<>]+\})`;
const OTHER_WORD = new RegExp(
  `(?:${[
    String.raw`'[^']*'|\\[^\n]|${VARIABLE}`,
    String.raw`"(?:[^"\\$\x60]|\\[\s\S]|${VARIABLE}|\$(?![\w*@#?!$\x60({[-]))*"`,
    String.raw`[^\s'"\\|&;()<>\x60$]|\$(?![\w*@#?!$\x60({['"-])`,
  ].join('|')})+`,
  'uy',
);
/** Not `(`, which may define a function. */
const LITERAL_WORD_END = /[ \t\n;&|<>)]|$/y;
const BLANKS = /[ \t]*/y;
/** Pieces in groups are sliced, without their quotes; shell-quote reads the others. */
const PIECES = /'([^']*)'|\\([\s\S])|([\w@%+=:,./-]+)|(?:[^'"\\]|"[^"\\]*(?:\\[\s\S][^"\\]*)*")+/gu;

/** Returns undefined if no word begins at `start`, or only bash can read it. */
export function readWord(line: string, start: number): Word | undefined {
  const piece = pieceAt(line, start);
  if (piece !== undefined) {
    return { text: textOfPiece(piece), written: piece, isLiteral: true, start };
  }
  const literal = wordAt(LITERAL, line, start);
  const written = literal ?? wordAt(OTHER_WORD, line, start);
  if (written === undefined) return undefined;
  // Bash reads {name}> as a redirection that assigns to a variable.
  if (written.endsWith('}') && /[<>]/.test(line.charAt(start + written.length))) return undefined;
  return { text: textOfWord(written), written, isLiteral: literal !== undefined, start };
}

/**
 * The words of a line that is one simple command of literal words:
 *
 *     bare  = [A-Za-z0-9_@%+=:,./-]
 *     word  = ( bare | '[^']*' | "( [^"\\$`] | \\["\\$] )*" | \\[^\n] )+
 *     line  = blank* word ( blank+ word )* blank*          blank = space or tab
 *
 * Takes linear time. Returns undefined for any other line, or if the first word is not one of `names`.
 */
export function literalWords(
  line: string,
  names: { has(name: string): boolean },
): readonly string[] | undefined {
  // Bash drops NUL bytes.
  if (line.includes('\0')) return undefined;
  const words: string[] = [];
  for (let at = skipBlanks(line, 0); at < line.length; ) {
    const piece = pieceAt(line, at);
    const written = piece ?? wordAt(LITERAL, line, at);
    if (written === undefined) return undefined;
    words.push(piece === undefined ? textOfWord(written) : textOfPiece(piece));
    if (words.length === 1 && !names.has(words[0] ?? '')) return undefined;
    at = skipBlanks(line, at + written.length);
  }
  return words.length > 0 ? words : undefined;
}

function pieceAt(line: string, start: number): string | undefined {
  const quoted = line.charAt(start) === "'" ? line.indexOf("'", start + 1) + 1 : 0;
  return wordBetween(line, start, quoted || endOfMatch(BARE, line, start));
}

function wordAt(pattern: RegExp, line: string, start: number): string | undefined {
  if (line.length > MAX_READ_LENGTH) return undefined;
  return wordBetween(line, start, endOfMatch(pattern, line, start));
}

function wordBetween(line: string, start: number, end: number | undefined): string | undefined {
  const isWord = end !== undefined && endOfMatch(LITERAL_WORD_END, line, end) !== undefined;
  return isWord ? line.slice(start, end) : undefined;
}

function skipBlanks(line: string, start: number): number {
  return endOfMatch(BLANKS, line, start) ?? start;
}

function endOfMatch(pattern: RegExp, line: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(line) ? pattern.lastIndex : undefined;
}

function textOfPiece(piece: string): string {
  return piece.startsWith("'") ? piece.slice(1, -1) : piece;
}

function textOfWord(written: string): string {
  return written.replace(
    PIECES,
    (piece, single?: string, escaped?: string, bare?: string) =>
      single ?? escaped ?? bare ?? asShellQuoteReads(piece),
  );
}

/** For pieces in double quotes, patterns and variables. */
function asShellQuoteReads(piece: string): string {
  const [entry, ...more] = loadParse()(piece, piece.includes('$') ? (name) => `$${name}` : {});
  if (typeof entry === 'string' && more.length === 0) return entry;
  return typeof entry === 'object' && 'pattern' in entry ? entry.pattern : piece;
}
