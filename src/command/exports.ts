import { safeText } from '../safe-text.ts';

/** What a list can be exported as. */
export const EXPORT_FORMATS = ['md', 'csv', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Rows as RFC 4180 has them. */
export function csv(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return rows.map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

/** Any text on one line of Markdown, in which nothing of it is markup. */
export function markdownText(text: string): string {
  return safeText(text)
    .replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&')
    .replace(/^(\s*)([-+]|\d+[.)])/, '$1\\$2');
}

/** A spreadsheet takes a text that begins like a formula for one, and would run it. */
function csvField(value: string | number | undefined): string {
  const safe = safeText(String(value ?? ''));
  const text = /^[=+\-@]/.test(safe) ? `'${safe}` : safe;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
