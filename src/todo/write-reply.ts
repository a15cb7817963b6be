import { safeText } from '../safe-text.ts';
import { listJson } from './list-json.ts';
import { listText } from './list-text.ts';
import type { TodoStatus, TodoVersion } from './todo-store.ts';

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
  const count = (wanted: TodoStatus) => items.filter(({ status }) => status === wanted).length;
  return `Todo list updated: ${count('completed')} completed, ${count('in_progress')} in_progress, ${count('pending')} pending\n`;
}
