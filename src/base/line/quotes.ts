/** A stretch in single quotes, one in double quotes, or a character after a backslash. */
const QUOTED = /('[^']*')|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\\[\s\S]/gu;
// Not after a backslash, unless that is escaped itself.
const EXPANSION = /(?<!\\)(?:\\\\)*(?:`|[<>]\(|\$[\w({['"*@#?!$-])/;
const ANY_SUBSTITUTION = /(?<!\\)(?:\\\\)*(?:`|[<>]\(|\$[({])/;

/** The text as one shell word, in single quotes: in GBK and Big5 a character may end with the byte of a backslash. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A name as a shell word, in quotes only if it needs them. */
export function asWord(name: string): string {
  return /^[\w@.:-]+$/.test(name) ? name : quote(name);
}

/** Removes one outer pair of quotes, and blanks around it. Inner quotes, which would end the pair in bash, stay. */
export function withoutOuterQuotes(rest: string): string {
  const text = rest.trim();
  const quote = text.charAt(0);
  if (!/['"]/.test(quote) || text.length < 2 || !text.endsWith(quote)) return text;
  const inner = text.slice(1, -1);
  // Two correct ways to write an apostrophe inside single quotes.
  return quote === "'" ? inner.replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'") : inner;
}

/** True if typed JSON, with its outer quotes, may have a part that bash should expand. */
export function mayExpand(typed: string): boolean {
  if (!typed.trimStart().startsWith("'")) return EXPANSION.test(typed);
  // In single quotes a $ is literal, but '$X' inside them is how people insert a variable.
  if (/'"?(?:[$`]|[<>]\()/.test(typed)) return true;
  const outside = outsideSingleQuotes(typed);
  return ANY_SUBSTITUTION.test(outside) || (EXPANSION.test(outside) && areQuotesClosed(typed));
}

export function withoutQuoted(text: string): string {
  return text.replace(QUOTED, '');
}

export function outsideSingleQuotes(text: string): string {
  return text.replace(QUOTED, (piece, single?: string) => (single === undefined ? piece : ''));
}

export function areQuotesClosed(text: string): boolean {
  return !/['"\\]/.test(withoutQuoted(text));
}
