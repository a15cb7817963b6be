/** A stretch in single quotes, one in double quotes, or a character after a backslash. */
const QUOTED = /('[^']*')|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\\[\s\S]/gu;
// A backslash before it makes it text, unless that belongs to another backslash.
const EXPANSION = /(?<!\\)(?:\\\\)*(?:`|[<>]\(|\$[\w({['"*@#?!$-])/;
const SUBSTITUTION = /(?<!\\)(?:\\\\)*(?:`|[<>]\(|\$[({])/;

/**
 * `text` as one word of a shell line, whatever it contains.
 *
 * Only single quotes hold in every locale: in GBK and Big5 a character may end with the byte of a backslash.
 */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The text inside one outer pair of quotes, taken as it was typed: inner quotes, which would end the pair for bash, are
 * part of the text. Blanks around it are removed; text without such a pair is returned unchanged.
 */
export function withoutOuterQuotes(rest: string): string {
  const text = rest.trim();
  const quote = text.charAt(0);
  if (!/['"]/.test(quote) || text.length < 2 || !text.endsWith(quote)) return text;
  const inner = text.slice(1, -1);
  // The two ways to write an apostrophe inside single quotes; who wrote one may have forgotten another.
  return quote === "'" ? inner.replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'") : inner;
}

/** Whether something that bash expands may be meant in such a text, outer quotes included: then it is not taken as typed. */
export function mayExpand(typed: string): boolean {
  if (!typed.trimStart().startsWith("'")) return EXPANSION.test(typed);
  // In single quotes a $ means itself, but '$X' inside them is how people insert a variable.
  if (/'"?(?:[$`]|[<>]\()/.test(typed)) return true;
  const outside = outsideSingleQuotes(typed);
  return SUBSTITUTION.test(outside) || (EXPANSION.test(outside) && areQuotesClosed(typed));
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
