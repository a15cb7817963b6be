/** How bash would split a text into words, as far as that is certain without bash. */
export interface Quoting {
  /** Whether all quotes are closed at the end. Not certain if `expansion` is 'nested'. */
  isClosed: boolean;
  /** What would be expanded: nothing, a simple `$NAME`, or something that contains text, such as `$(`, `${`, `<(` and backticks. */
  expansion: 'none' | 'simple' | 'nested';
  /** Whether nothing outside the quotes ends a word. */
  isOneWord: boolean;
  /** Whether there are braces outside the quotes, which can turn one word into several. */
  hasBraces: boolean;
  /** The text without its quotes, with expansions left as they are. */
  text: string;
}

// One character class per run, never a star around alternatives: that overflows the stack on a few megabytes.
const PIECE = /'[^']*'?|"|\\[\s\S]?|\$[({'"]|`|\$[\w@*#?!$-]|[\s|&;()<>]+|[^'"\\`$\s|&;()<>]+|\$/y;
const QUOTED_PIECE = /"|\\[\s\S]?|\$[({]|`|\$[\w@*#?!$-]|[^"\\`$]+|\$/y;

/** Reads `text` as bash reads its quotes. Takes time linear in its length. */
export function readQuoting(text: string): Quoting {
  const quoting: Quoting = {
    isClosed: true,
    expansion: 'none',
    isOneWord: true,
    hasBraces: false,
    text: '',
  };
  let isInQuotes = false;
  for (let at = 0; at < text.length; ) {
    const pattern = isInQuotes ? QUOTED_PIECE : PIECE;
    pattern.lastIndex = at;
    const [piece = ' '] = pattern.exec(text) ?? [];
    at += piece.length;
    const [first, second] = piece;
    quoting.text += withoutQuotes(piece, isInQuotes);
    if (first === '"') {
      isInQuotes = !isInQuotes;
    } else if (first === '`' || (first === '$' && /[({'"]/.test(second ?? ''))) {
      quoting.expansion = 'nested';
    } else if (first === '$' && second !== undefined) {
      if (quoting.expansion === 'none') quoting.expansion = 'simple';
    } else if (!isInQuotes && first === "'") {
      if (piece.length === 1 || !piece.endsWith("'")) quoting.isClosed = false;
    } else if (!isInQuotes && /[\s|&;()<>]/.test(first ?? '')) {
      quoting.isOneWord = false;
      if (/[<>]\(/.test(piece)) quoting.expansion = 'nested';
    } else if (piece === '\\') {
      quoting.isClosed = false;
    } else if (!isInQuotes && first !== '\\' && piece.includes('{')) {
      quoting.hasBraces = true;
    }
  }
  if (isInQuotes) quoting.isClosed = false;
  return quoting;
}

function withoutQuotes(piece: string, isInQuotes: boolean): string {
  if (piece === '"') return '';
  if (piece.startsWith('\\')) {
    return isInQuotes && !/[\\"$`]/.test(piece.charAt(1)) ? piece : piece.slice(1);
  }
  return !isInQuotes && piece.startsWith("'") ? piece.slice(1, -1) : piece;
}
