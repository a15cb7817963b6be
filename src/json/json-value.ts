export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The type of a value, as errors name it: `string`, `array`, `null`. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Any value as one line of JSON in printable characters. */
export function jsonLine(value: object): string {
  // Controls, format characters, line separators: JSON may hold them as they are, a terminal should not see them.
  const notPrinted = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
  return `${JSON.stringify(value).replace(notPrinted, jsonEscape)}\n`;
}

function jsonEscape(character: string): string {
  let escaped = '';
  for (let unit = 0; unit < character.length; unit++) {
    escaped += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
