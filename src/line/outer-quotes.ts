import { areQuotesClosed, outsideSingleQuotes } from './words.ts';

// A backslash before it makes it text, unless that belongs to another backslash.
const EXPANSION = /(?<!\\)(?:\\\\)*(?:`|[<>]\(|\$[\w({['"*@#?!$-])/;
const SUBSTITUTION = /(?<!\\)(?:\\\\)*(?:`|[<>]\(|\$[({])/;

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
