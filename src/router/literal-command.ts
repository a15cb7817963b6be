import { parse } from 'shell-quote';

// One piece of a literal word. The alternatives start with different characters, so a line is read in one pass.
const PIECE = /[\w@%+=:,./-]+|'[^']*'|"(?:[^"\\$`]|\\["\\$])*"|\\[^\n]/y;
const BLANKS = /[ \t]*/y;

/**
 * Reads a line as a literal simple command: words that are certain without bash, because nothing in them is expanded.
 *
 *     bare  = [A-Za-z0-9_@%+=:,./-]
 *     word  = ( bare | '[^']*' | "( [^"\\$`] | \\["\\$] )*" | \\[^\n] )+
 *     line  = blank* word ( blank+ word )* blank*          blank = space or tab
 *
 * @returns the words as bash would pass them, or undefined when the line is anything else, or when its first word
 *   is none of `names`: such a line is for bash to read.
 */
export function parseLiteralCommand(
  line: string,
  names: { has(name: string): boolean },
): readonly string[] | undefined {
  let position = skip(BLANKS, line, 0);
  const firstEnd = wordEnd(line, position);
  if (firstEnd === undefined || !names.has(unquote(line.slice(position, firstEnd))[0] ?? '')) {
    return undefined;
  }
  position = skip(BLANKS, line, firstEnd);
  while (position < line.length) {
    const end = wordEnd(line, position);
    if (end === undefined) {
      return undefined;
    }
    position = skip(BLANKS, line, end);
  }
  // Bash drops NUL bytes from a line; what it then reads is not for us to say.
  return line.includes('\0') ? undefined : unquote(line);
}

/** Where the word at `start` ends, or undefined when there is no word or it goes on in a way that is not literal. */
function wordEnd(line: string, start: number): number | undefined {
  let end = start;
  for (let next = skip(PIECE, line, end); next > end; next = skip(PIECE, line, end)) {
    end = next;
  }
  const after = line[end];
  return end > start && (after === undefined || after === ' ' || after === '\t') ? end : undefined;
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** shell-quote agrees with bash on this grammar (a property test holds it to that); elsewhere it does not. */
function unquote(literal: string): string[] {
  return parse(literal) as string[];
}
