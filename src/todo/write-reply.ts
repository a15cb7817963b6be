import { safeText } from '../safe-text.ts';
import { listJson } from './list-json.ts';
import { listText } from './list-text.ts';
import type { TodoVersion } from './todo-store.ts';

const MAX_QUOTED_CHARACTERS = 40;

/** What TodoWrite can print of the list that it has written, by the value of `--output`. */
const REPLIES: ReadonlyMap<string, (list: TodoVersion) => string> = new Map([
  ['summary', summary],
  ['list', ({ items }) => listText(items)],
  ['json', (list) => listJson(list)],
]);

/** The reply that an output asks for, or what is wrong with it. */
export function replyFor(output: string): ((list: TodoVersion) => string) | { problem: string } {
  const reply = REPLIES.get(output);
  if (reply) return reply;
  const quoted = `'${safeText(output, MAX_QUOTED_CHARACTERS)}'`;
  return { problem: `--output takes summary, list or json, received ${quoted}` };
}

function summary({ items }: TodoVersion): string {
  let completed = 0;
  let inProgress = 0;
  for (const { status } of items) {
    if (status === 'completed') completed++;
    else if (status === 'in_progress') inProgress++;
  }
  const pending = items.length - completed - inProgress;
  return `Todo list updated: ${completed} completed, ${inProgress} in_progress, ${pending} pending\n`;
}
