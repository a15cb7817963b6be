import { readJson } from './json-reader.ts';

/**
 * The JSON in the rest of a command line, where the whole of it is one JSON object or array (the slips of the forgiving
 * reader included): unquoted, or inside one outer pair of quotes that its own text may break. Undefined where it is
 * anything else. Takes time linear in the length of the text.
 *
 * It does not know what bash would make of the line; whose reading counts is for the caller to say.
 *
 * @param rest What stands after the command's name, as it was typed.
 */
export function rawJsonText(rest: string): string | undefined {
  const text = withoutOuterQuotes(rest);
  const reading = readJson(text);
  return 'value' in reading && typeof reading.value === 'object' && reading.value !== null
    ? text
    : undefined;
}

/** `rest` without the blanks and the one pair of quotes around it, if there is one; what is inside is not read. */
export function withoutOuterQuotes(rest: string): string {
  const text = rest.trim();
  const quote = text.charAt(0);
  if (!/['"]/.test(quote) || text.length < 2 || !text.endsWith(quote)) return text;
  const inner = text.slice(1, -1);
  // The two ways to write an apostrophe inside single quotes; who wrote one may have forgotten another.
  return quote === "'" ? inner.replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'") : inner;
}
