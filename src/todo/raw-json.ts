import { readJson } from './json-reader.ts';

/**
 * The JSON in the rest of a command line, where the whole of it is one JSON object or array (the slips of the
 * forgiving reader included): unquoted, or inside one outer pair of quotes that its own text may break. Undefined
 * where it is anything else. Takes time linear in the length of the text.
 *
 * @param rest What stands after the command's name, as it was typed.
 */
export function rawJsonText(rest: string): string | undefined {
  const text = withoutOuterQuotes(rest.trim());
  const reading = readJson(text);
  return 'value' in reading && typeof reading.value === 'object' && reading.value !== null
    ? text
    : undefined;
}

/**
 * Whether a line that is no literal command must be read as raw JSON all the same, since bash can make no list of it.
 *
 * Not so where the JSON stands in single quotes and bash would read all of it as one word: then what stands between
 * the inner quotes is meant for bash, as in `'{"todos":[{"content":"'$NAME'",...}]}'`.
 */
export function isRawJson(rest: string): boolean {
  const text = rest.trim();
  return rawJsonText(text) !== undefined && !(text.startsWith("'") && isOneWord(text));
}

function withoutOuterQuotes(text: string): string {
  const quote = text[0];
  if ((quote !== "'" && quote !== '"') || text.length < 2 || !text.endsWith(quote)) return text;
  const inner = text.slice(1, -1);
  // The two ways to write an apostrophe inside single quotes; someone who wrote one may have forgotten another.
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
