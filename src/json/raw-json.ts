import { readJson } from './json-reader.ts';

/** What is noted where the JSON of a call was taken from the line as it was typed. */
export const QUOTES_BROKE =
  "read the JSON as it was typed, since its quotes broke in bash; write ' as '\\'' or pass it by heredoc";

/**
 * Whether the whole of `text` is one JSON object or array, the slips of the forgiving reader included.
 * Takes time linear in the length of the text.
 */
export function isJsonCollection(text: string): boolean {
  const reading = readJson(text);
  return 'value' in reading && typeof reading.value === 'object' && reading.value !== null;
}

/**
 * What someone means by the rest of a command line that is one outer pair of quotes, if the text between them is taken
 * as it was typed: quotes inside it, which would end the pair for bash, are part of the text. Blanks around it are cut
 * off; text without such a pair is returned as it is.
 */
export function withoutOuterQuotes(rest: string): string {
  const text = rest.trim();
  const quote = text.charAt(0);
  if (!/['"]/.test(quote) || text.length < 2 || !text.endsWith(quote)) return text;
  const inner = text.slice(1, -1);
  // The two ways to write an apostrophe inside single quotes; who wrote one may have forgotten another.
  return quote === "'" ? inner.replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'") : inner;
}
