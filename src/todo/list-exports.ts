import { csv, type ExportFormat, markdownText } from '../command/exports.ts';
import { listJson } from './list-text.ts';
import type { TodoItem } from './todo-item.ts';
import type { TodoVersion } from './todo-version.ts';

const FIELDS = ['content', 'activeForm', 'status', 'id', 'priority'] as const;

/** A list for other programs than a model's: a task list of Markdown, a table, JSON. */
export const LIST_EXPORTS: Readonly<Record<ExportFormat, (list: TodoVersion) => string>> = {
  md: ({ items }) => items.map((item) => `${markdownLine(item)}\n`).join(''),
  csv: ({ items }) => csv([FIELDS, ...items.map((item) => FIELDS.map((field) => item[field]))]),
  json: (list) => listJson(list),
};

function markdownLine({ status, content, priority, proof }: Readonly<TodoItem>): string {
  const begun = status === 'in_progress' ? 'in progress' : '';
  const remarks = [begun, priority ?? '', proof ? 'proven' : ''].filter(Boolean);
  const more = remarks.length > 0 ? ` *(${remarks.join(', ')})*` : '';
  return `- [${status === 'completed' ? 'x' : ' '}] ${markdownText(content)}${more}`;
}
