import { safeText } from '../safe-text.ts';

/** What a list can be exported as. */
export const EXPORT_FORMATS = ['md', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Any text on one line of Markdown, in which nothing of it is markup. */
export function markdownText(text: string): string {
  return safeText(text)
    .replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&')
    .replace(/^(\s*)([-+]|\d+[.)])/, '$1\\$2');
}
