import { type CommandResult, failed } from '../command/agent-command.ts';
import { refusal } from '../command/replies.ts';
import { briefText, safeText } from '../safe-text.ts';
import { describeChange } from './describe-change.ts';
import { itemLine } from './list-text.ts';
import type { TodoVersion } from './todo-version.ts';

const MAX_LINE_CHARACTERS = 100;
/** stderr is at most 4 KB; the rest of it is for the first and last lines and for warnings. */
const MAX_BYTES_OF_LIST = 3000;

/** Refuses a write that was meant for another version than the newest, and shows what it would have replaced. */
export function movedOn({ version, items }: TodoVersion, expected: number): CommandResult {
  const stderr = `Error: The list is at version ${version}, not ${expected}; nothing was changed. It now is:
${itemLines(items)}Take this list into account, then write with --if-version ${version}.
`;
  return failed('refused', stderr);
}

/** A list for an error, one line per item, as many as there is room for. */
export function itemLines(items: TodoVersion['items'], maxBytes = MAX_BYTES_OF_LIST): string {
  let text = '';
  let shown = 0;
  for (const item of items) {
    const line = `${safeText(itemLine(item), MAX_LINE_CHARACTERS)}\n`;
    if (Buffer.byteLength(text + line) > maxBytes) break;
    text += line;
    shown++;
  }
  if (shown < items.length) text += `and ${items.length - shown} more\n`;
  return text || 'No todos.\n';
}

/** The versions that are kept, one line each, newest first: number, time, agent, what changed. */
export function historyText(versions: readonly TodoVersion[]): string {
  if (versions.length === 0) return 'No versions.\n';
  return versions.map((version, index) => historyLine(version, versions[index + 1])).join('');
}

function historyLine(after: TodoVersion, before: TodoVersion | undefined): string {
  const { version, items, updatedAt, by, damage } = after;
  if (damage && damage.shown !== version)
    return `${version}  damaged; version ${damage.shown} stands in for it\n`;
  // The version before the oldest one that is kept is not known, but for that of the very first.
  const old = before?.items ?? (version === 1 ? [] : undefined);
  const change = old ? describeChange(old, items) : countOf(items);
  const time = `${updatedAt.toISOString().slice(0, 19)}Z`;
  return `${version}  ${time}  ${briefText(by)}  ${change}\n`;
}

function countOf({ length }: TodoVersion['items']): string {
  return length === 1 ? '1 item' : `${length} items`;
}

/** Refuses to show a version that is not kept. */
export function notKept(version: number, kept: readonly TodoVersion[]): CommandResult {
  const [newest, oldest] = [kept[0], kept.at(-1)];
  const range =
    newest && oldest
      ? `versions ${oldest.version} to ${newest.version} are kept`
      : 'the list was never written';
  return refusal(`There is no version ${version}`, { lines: [range] });
}
