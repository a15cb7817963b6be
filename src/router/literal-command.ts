const BARE = /[\w@%+=:,./-]+/uy;
const BLANKS = /[ \t]*/y;

/**
 * Reads a line as a literal simple command: words that are certain without bash, because nothing in them is expanded.
 *
 *     bare  = [A-Za-z0-9_@%+=:,./-]
 *     word  = ( bare | '[^']*' | "( [^"\\$`] | \\["\\$] )*" | \\[^\n] )+
 *     line  = blank* word ( blank+ word )* blank*          blank = space or tab
 *
 * Takes time linear in the length of the line, and no stack.
 *
 * @returns the words as bash would pass them. Undefined if the line is anything else, or if its first word is not one
 *   of `names`: then bash has to read it.
 */
export function parseLiteralCommand(
  line: string,
  names: { has(name: string): boolean },
): readonly string[] | undefined {
  // Bash drops NUL bytes from a line, so we cannot know what it reads.
  if (line.includes('\0')) {
    return undefined;
  }
  const words: string[] = [];
  for (let start = skip(BLANKS, line, 0); start < line.length; ) {
    const word = readWord(line, start);
    if (word === undefined) {
      return undefined;
    }
    words.push(word.text);
    if (words.length === 1 && !names.has(word.text)) {
      return undefined;
    }
    start = skip(BLANKS, line, word.end);
  }
  return words.length > 0 ? words : undefined;
}

/** The word at `start` and where it ends; undefined if there is none, or if it is not literal to its end. */
function readWord(line: string, start: number): { text: string; end: number } | undefined {
  let text = '';
  let end = start;
  for (;;) {
    const next = skipPiece(line, end);
    if (next === end) break;
    text += unquote(line.slice(end, next));
    end = next;
  }
  const after = line[end];
  return end > start && (after === undefined || after === ' ' || after === '\t')
    ? { text, end }
    : undefined;
}

/** Where the piece of a word that begins at `from` ends; `from` if there is none. */
function skipPiece(line: string, from: number): number {
  switch (line[from]) {
    case "'":
      return line.indexOf("'", from + 1) + 1 || from;
    case '"':
      return skipQuotes(line, from);
    case '\\': {
      const character = line.codePointAt(from + 1) ?? 10;
      return character === 10 ? from : from + 1 + String.fromCodePoint(character).length;
    }
    default:
      return skip(BARE, line, from);
  }
}

/** Where the double quotes that open at `from` are closed; `from` if they are not, or contain an expansion. */
function skipQuotes(line: string, from: number): number {
  // Not a regular expression: a star around alternatives overflows the stack on some megabytes.
  for (let at = from + 1; at < line.length; at += 1) {
    const character = line[at];
    if (character === '"') return at + 1;
    if (character === '$' || character === '`') return from;
    if (character === '\\') {
      at += 1;
      if (!'"\\$'.includes(line[at] ?? ' ')) return from;
    }
  }
  return from;
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function unquote(piece: string): string {
  switch (piece[0]) {
    case "'":
      return piece.slice(1, -1);
    case '"':
      return piece.slice(1, -1).replace(/\\(["\\$])/g, '$1');
    case '\\':
      return piece.slice(1);
    default:
      return piece;
  }
}
