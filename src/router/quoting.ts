/** How bash would take a text apart, as far as that is certain without bash. */
export interface Quoting {
  /** Whether all quotes are closed in the end. Where `expansion` is 'nested' this is not certain. */
  isClosed: boolean;
  /** What would be expanded: nothing, a simple `$NAME`, or what holds text of its own, as `$(`, `${`, `<(` and backticks. */
  expansion: 'none' | 'simple' | 'nested';
  /** Whether nothing outside of the quotes ends a word. */
  isOneWord: boolean;
  /** Whether there are braces outside of the quotes, which may make several words of one. */
  hasBraces: boolean;
  /** The text without its quotes; what would be expanded stands in it as it is. */
  text: string;
}

// Runs of one class each, never a star around alternatives: some megabytes of that overflow the stack.
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
