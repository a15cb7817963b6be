import { csv, markdownText } from '../command/exports.ts';
import { agentText } from './reasons.ts';
import { openBlockers, type Task, type TaskGraph } from './task.ts';

const COLUMNS = [
  'id',
  'status',
  'priority',
  'owner',
  'subject',
  'description',
  'blockedBy',
  'createdAt',
  'updatedAt',
] as const;

/** Tasks as CSV (RFC 4180), a row each below the names of the columns. */
export function exportCsv(tasks: readonly Task[]): string {
  const rows = tasks.map((task) =>
    COLUMNS.map((column) => {
      const value = task[column] ?? '';
      return Array.isArray(value) ? value.join(' ') : String(value);
    }),
  );
  return csv([COLUMNS, ...rows]);
}

/** Tasks as a list with boxes, as GitHub and others show it. */
export function exportMarkdown(graph: TaskGraph, tasks: readonly Task[]): string {
  return tasks
    .map((task) => {
      const box = task.status === 'completed' ? 'x' : ' ';
      const blockers = openBlockers(graph, task);
      const facts = [
        task.status === 'in_progress' ? 'in progress' : '',
        task.owner === undefined ? '' : agentText(task.owner),
        task.priority ?? '',
        blockers.length > 0 ? `blocked by ${blockers.map((id) => `#${id}`).join(', ')}` : '',
      ].filter(Boolean);
      const note = facts.length > 0 ? ` (${markdownText(facts.join('; '))})` : '';
      const lines = task.description.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
      const below = lines.map((line) => `  ${markdownText(line)}\n`).join('');
      return `- [${box}] \\#${task.id} ${markdownText(task.subject)}${note}\n${below && `\n${below}\n`}`;
    })
    .join('');
}
