import { readJson } from './json-reader.ts';

/**
 * Whether the whole of `text` is one JSON object or array, the slips of the forgiving reader included. Takes time
 * linear in the length of the text.
 */
export function isJsonCollection(text: string): boolean {
  const reading = readJson(text);
  return 'value' in reading && typeof reading.value === 'object' && reading.value !== null;
}

/**
 * Whether the rest of a command line that is no literal command is JSON all the same: the whole of it one object or
 * array, unquoted or inside one outer pair of quotes that its own text may break. Bash can make no list of such a line.
 *
 * Not so where the JSON stands in single quotes and bash would read all of it as one word: then what stands between
 * the inner quotes is meant for bash, as in `'{"todos":[{"content":"'$NAME'",...}]}'`.
 * Takes time linear in the length of the text.
 *
 * @param rest What stands after the command's name, as it was typed.
 */
export function isRawJson(rest: string): boolean {
  const text = rest.trim();
  if (text.startsWith("'") && isOneWord(text)) return false;
  return isJsonCollection(withoutOuterQuotes(text));
}

/** `text` without its blanks and the one pair of quotes around it, if there is one; what is inside is not read. */
export function withoutOuterQuotes(rest: string): string {
  const text = rest.trim();
  const quote = text.charAt(0);
  if (!/['"]/.test(quote) || text.length < 2 || !text.endsWith(quote)) return text;
  const inner = text.slice(1, -1);
  // The two ways to write an apostrophe inside single quotes; who wrote one may have forgotten another.
  return quote === "'" ? inner.replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'") : inner;
}

/**
 * Whether bash would read `text` as one word: every quote is closed, and no blank or operator stands outside quotes.
 * An expansion in brackets or backticks may hold both; the first one ends the question, since it is bash's to read.
 */
function isOneWord(text: string): boolean {
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === quote) quote = '';
    else if (quote === "'") continue;
    else if (character === '\\') at++;
    else if (character === '`' || /^\$[({]/.test(text.slice(at, at + 2))) return true;
    else if (quote === '"') continue;
    else if (character === "'" || character === '"') quote = character;
    else if (/[\s;&|<>()]/.test(character)) return false;
  }
  return quote === '';
}
