import type { ExportFormat } from '../command/options.ts';
import { MARKS, nextOf, proofMark } from '../command/status.ts';
import { jsonLine } from '../json/json-value.ts';
import { commandText, markdownText, safeText } from '../safe-text.ts';
import { nameOf } from './revise-list.ts';
import { TODO_FIELDS } from './todo-fields.ts';
import type { Items, TodoItem } from './todo-item.ts';
import type { TodoVersion } from './todo-version.ts';

/** What is shown of an item beside its status and its texts. */
const { content: _, activeForm: __, status: ___, ...OTHERS } = TODO_FIELDS;
const DETAILS = Object.keys(OTHERS) as (keyof typeof OTHERS)[];

/**
 * An item as one line for a model: `[>] Run tests <- Running tests (id: 7, priority: high)`. It shows everything, since
 * a model would drop what it does not see when it writes the list back.
 */
export function itemLine(item: Readonly<TodoItem>): string {
  const { status, content, activeForm } = item;
  const doing = status === 'in_progress' ? ` <- ${safeText(activeForm)}` : '';
  const details = DETAILS.flatMap((name) => {
    const value = item[name];
    return value === undefined ? [] : [`${name}: ${commandText(value)}`];
  });
  if (proofMark(item)) details.push(proofMark(item));
  const more = details.length > 0 ? ` (${details.join(', ')})` : '';
  return `${MARKS[status]} ${safeText(content)}${doing}${more}`;
}

/** A list for a model to read. */
export function listText(items: Items): string {
  if (items.length === 0) return 'No todos.\n';
  const completed = items.filter((item) => item.status === 'completed').length;
  return `${items.map(itemLine).join('\n')}\n\n(${completed}/${items.length} completed)\n`;
}

/** How much of each text fits into a status line. */
const MAX_LINE_CHARACTERS = 50;

/** A list in one line for people, as in `3/8 Fixing login · next: Run the tests`; empty if there is none. */
export function listLine(items: readonly Readonly<TodoItem>[]): string {
  if (items.length === 0) return '';
  const completed = items.filter(({ status }) => status === 'completed').length;
  const active = items.find(({ status }) => status === 'in_progress');
  const next = items[nextOf(items)];
  const done = `${completed}/${items.length}`;
  const parts = [
    ...(active ? [safeText(active.activeForm, MAX_LINE_CHARACTERS)] : []),
    ...(next ? [`next: ${safeText(next.content, MAX_LINE_CHARACTERS)}`] : []),
  ];
  return `${[done, parts.join(' · ') || 'done'].join(' ')}\n`;
}

/** How many items of each state were written: the reply of TodoWrite. */
export function summaryText(items: Items): string {
  let completed = 0;
  let inProgress = 0;
  for (const { status } of items) {
    if (status === 'completed') completed++;
    else if (status === 'in_progress') inProgress++;
  }
  const pending = items.length - completed - inProgress;
  return `Todo list updated: ${completed} completed, ${inProgress} in_progress, ${pending} pending\n`;
}

/** The item in progress and the next one, by the names that `--start` and `--done` take. */
export function nextText(items: Items): string {
  const line = (label: string, at: number) =>
    at === -1 ? '' : `${label} ${nameOf(items, at)}: ${safeText(items[at]?.content ?? '')}\n`;
  const now = items.findIndex(({ status }) => status === 'in_progress');
  return line('Now', now) + line('Next', nextOf(items));
}

/** A list for other programs than a model's: a task list of Markdown, or JSON. */
export const LIST_EXPORTS: Readonly<Record<ExportFormat, (list: TodoVersion) => string>> = {
  md: ({ items }) => items.map((item) => `${markdownLine(item)}\n`).join(''),
  json: (list) => listJson(list),
};

function markdownLine({ status, content, priority, proof }: Readonly<TodoItem>): string {
  const begun = status === 'in_progress' ? 'in progress' : '';
  const remarks = [begun, priority ?? '', proof ? 'proven' : ''].filter(Boolean);
  const more = remarks.length > 0 ? ` *(${remarks.join(', ')})*` : '';
  return `- [${status === 'completed' ? 'x' : ' '}] ${markdownText(content)}${more}`;
}

/** A list as one line of JSON in printable characters, for a program. `labels` come before it. */
export function listJson({ items, updatedAt, version }: TodoVersion, labels: object = {}): string {
  return jsonLine({ ...labels, todos: items, updatedAt, version });
}
