import { markdownText } from '../command/exports.ts';
import { agentText } from './reasons.ts';
import { openBlockers, type Task, type TaskGraph } from './task.ts';

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
