const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index after the quote that closes the string opened at `open`, or -1 where none does. */
export function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === QUOTE) return at + 1;
  }
  return -1;
}

/**
 * `text` cut at its JSON strings: outside, string, outside, string, ..., outside. The strings keep their quotes; one
 * that is never closed reaches to the end.
 */
export function splitAtStrings(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', from)) {
    const end = endOfString(text, open);
    parts.push(text.slice(from, open));
    from = end === -1 ? text.length : end;
    parts.push(text.slice(open, from));
  }
  parts.push(text.slice(from));
  return parts;
}
