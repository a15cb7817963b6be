import type { TodoVersion } from './todo-store.ts';

/** Controls, format characters, line separators: JSON may hold them as they are, a terminal should not see them. */
const NOT_PRINTED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A list as one line of JSON in printable characters, for a program. `labels` come before it. */
export function listJson({ items, updatedAt, version }: TodoVersion, labels: object = {}): string {
  return jsonLine({ ...labels, todos: items, updatedAt, version });
}

/** Any value as one line of JSON in printable characters. */
export function jsonLine(value: object): string {
  return `${JSON.stringify(value).replace(NOT_PRINTED, jsonEscape)}\n`;
}

function jsonEscape(character: string): string {
  let escaped = '';
  for (let unit = 0; unit < character.length; unit++) {
    escaped += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
