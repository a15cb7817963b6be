import { type CommandResult, failed } from '../base/command/agent-command.ts';
import type { ExportFormat } from '../base/command/options.ts';
import { refusal, timeText } from '../base/command/replies.ts';
import { doneOf, MARKS, nextIndex, proofMark, STATUSES } from '../base/command/status.ts';
import { jsonLine } from '../base/json/fields.ts';
import {
  briefText,
  commandText,
  counted,
  firstOf,
  markdownText,
  nameText,
  safeText,
} from '../base/safe-text.ts';
import { notKeptText, USER } from '../lists/place.ts';
import { contentKey, pairInPlace, pairItems, removedAndAdded } from './pair-items.ts';
import { itemName } from './revise-list.ts';
import { type Item, type Items, TODO_FIELDS, type TodoStatus } from './todo-fields.ts';
import type { TodoVersion } from './todo-version.ts';

/** The optional fields, which a line shows in brackets. */
const { content: _, activeForm: __, status: ___, ...OTHERS } = TODO_FIELDS;
const DETAILS = Object.keys(OTHERS) as (keyof typeof OTHERS)[];

/**
 * `[>] Run tests <- Running tests (id: 7, priority: high)`. A line shows every field: a model that writes the list back would
 * drop a field that it does not see.
 */
function itemLine(item: Item): string {
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

/** Harnesses show their user the first 3 to 10 lines of an output, or the last 5. */
const SHOWN_WHOLE = 8;

/** For a model. A long list begins and ends with the item in progress. */
export function listText(items: Items): string {
  if (items.length === 0) return 'No todos.\n';
  const completed = doneOf(items);
  const now = items.length > SHOWN_WHOLE ? nextText({ items }) : '';
  const [first = ''] = now.split(/(?<=\n)/);
  const begin = now && `${now}\n`;
  return `${begin}${items.map(itemLine).join('\n')}\n\n${first}(${completed}/${items.length} completed)\n`;
}

const MAX_STATUS_CHARACTERS = 50;

/** `3/8 Fixing login · next: Run the tests`; empty without a list. */
export function listLine(items: Items): string {
  if (items.length === 0) return '';
  const completed = doneOf(items);
  const active = items.find(({ status }) => status === 'in_progress');
  const next = items[nextIndex(items)];
  const done = `${completed}/${items.length}`;
  const parts = [
    ...(active ? [safeText(active.activeForm, MAX_STATUS_CHARACTERS)] : []),
    ...(next ? [`next: ${safeText(next.content, MAX_STATUS_CHARACTERS)}`] : []),
  ];
  return `${[done, parts.join(' · ') || 'done'].join(' ')}\n`;
}

export function summaryText({ items }: Pick<TodoVersion, 'items'>): string {
  const counts = { completed: 0, in_progress: 0, pending: 0 };
  for (const { status } of items) counts[status]++;
  const { completed, in_progress: begun, pending } = counts;
  return `Todo list updated: ${completed} completed, ${begun} in_progress, ${pending} pending\n`;
}

/** The item in progress and the next one, by the names that `--start` and `--done` accept. */
export function nextText({ items }: Pick<TodoVersion, 'items'>): string {
  const line = (label: string, at: number) =>
    at === -1 ? '' : `${label} ${itemName(items, at)}: ${safeText(items[at]?.content ?? '')}\n`;
  const now = items.findIndex(({ status }) => status === 'in_progress');
  return line('Now', now) + line('Next', nextIndex(items));
}

export const LIST_EXPORTS: Readonly<Record<ExportFormat, (list: TodoVersion) => string>> = {
  md: ({ items }) => items.map((item) => `${markdownLine(item)}\n`).join(''),
  json: (list) => listJson(list),
};

function markdownLine({ status, content, priority, proof }: Item): string {
  const begun = status === 'in_progress' ? 'in progress' : '';
  const remarks = [begun, priority ?? '', proof ? 'proven' : ''].filter(Boolean);
  const more = remarks.length > 0 ? ` *(${remarks.join(', ')})*` : '';
  return `- [${status === 'completed' ? 'x' : ' '}] ${markdownText(content)}${more}`;
}

/** A list as one line of printable JSON, after the labels. */
export function listJson({ items, updatedAt, version }: TodoVersion, labels: object = {}): string {
  return jsonLine({ ...labels, todos: items, updatedAt, version });
}

const MAX_LINE_CHARACTERS = 100;
/** stderr is at most 4 KB; other lines and warnings need the rest. */
const MAX_BYTES_OF_LIST = 3000;

/** Refuses a write meant for an older version, and shows the newest. @param isOld the list is that of the older version. */
export function movedOn(
  { version, items }: TodoVersion,
  expected: number,
  isOld: boolean,
): CommandResult {
  const restore = isOld
    ? `To restore version ${expected}: TodoWrite --undo --at ${expected}\n`
    : '';
  const stderr = `Error: The list is at version ${version}, not ${expected}; nothing was changed. It now is:
${itemLines(items)}Take this list into account, then write with --if-version ${version}.
${restore}`;
  return failed('refused', stderr);
}

/** As many lines as fit, for an error. */
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

/** One line for each version, newest first: number, time, agent, changes. */
export function historyText(versions: readonly TodoVersion[], isLocal: boolean): string {
  if (versions.length === 0) return 'No versions.\n';
  const lines = versions.map((after, index) => {
    const change = changeOfVersion(after, versions[index + 1]);
    return `${after.version}  ${timeText(after.updatedAt, isLocal)}  ${nameText(after.by)}  ${change}\n`;
  });
  return lines.join('');
}

/** Versions never change, and a history can have a thousand of them. */
const textsOfVersions = new WeakMap<TodoVersion, string>();

const NOTHING_CHANGED = 'nothing changed';

/** The change of a version, in words. @param before the previous version, if it is still kept. */
export function changeOfVersion(after: TodoVersion, before: TodoVersion | undefined): string {
  const { version, items } = after;
  // The predecessor of the oldest kept version is known only for version 1.
  const old = before?.items ?? (version === 1 ? [] : undefined);
  if (old === undefined) return counted(items.length, 'item');
  const change = textsOfVersions.get(after) ?? describeChange(old, items, after.by === USER);
  textsOfVersions.set(after, change);
  return change === NOTHING_CHANGED && before?.by === USER ? "read the user's changes" : change;
}

export function notKept(version: number, kept: readonly TodoVersion[]): CommandResult {
  const numbers = kept.map((one) => one.version);
  return refusal(`There is no version ${version}`, { lines: [notKeptText(version, numbers)] });
}

/** The verb for an item that now has this status. */
export const MOVED: Readonly<Record<TodoStatus, string>> = {
  completed: 'completed',
  in_progress: 'began',
  pending: 'put back',
};

/**
 * The changes in one line: `completed "Fix login"; began "Run tests"; 1 removed, 2 added`.
 *
 * @param isByPerson people change one item at a time: each is named, and another text in an item's place is the same item.
 */
export function describeChange(before: Items, after: Items, isByPerson = false): string {
  if (after.length === 0) return describeClearing(before);
  const pairs = (isByPerson ? pairInPlace : pairItems)(before, after);
  const old = new Map(pairs.map((pair) => [pair.after, pair.before]));
  const moved = after.filter((item) => isMoved(item, old.get(item)));
  const removed = pairs.flatMap((pair) => (pair.before && !pair.after ? [pair.before] : []));
  const added = pairs.flatMap((pair) => (pair.after && !pair.before ? [pair.after] : []));
  const renamed = pairs.flatMap(({ before: was, after: is }) => {
    if (!was || !is || isMoved(is, was) || contentKey(was) === contentKey(is)) return [];
    return [`${named(was)} to ${named(is)}`];
  });
  const proved = pairs.flatMap(({ before: was, after: is }) =>
    was && is?.proof && !was.proof && !isMoved(is, was) ? [named(is)] : [],
  );
  const parts = [
    ...STATUSES.toReversed().flatMap((status) =>
      firstNamed(MOVED[status], having(moved, status).map(named)),
    ),
    // A dropped item in progress is always named.
    ...firstNamed('dropped', (isByPerson ? removed : having(removed, 'in_progress')).map(named)),
    ...firstNamed('proved', proved),
    ...firstNamed('changed', renamed),
    ...(isByPerson
      ? firstNamed('added', having(added, 'pending').map(named))
      : removedAndAdded(pairs)),
  ];
  if (parts.length > 0) return parts.join('; ');
  if (JSON.stringify(before) === JSON.stringify(after)) return NOTHING_CHANGED;
  const inOneOrder = (items: Items) =>
    JSON.stringify(items.map((item) => JSON.stringify(item)).sort());
  return inOneOrder(before) === inOneOrder(after) ? 'order changed' : 'details changed';
}

function describeClearing(before: Items): string {
  if (before.length === 0) return NOTHING_CHANGED;
  if (having(before, 'completed').length < before.length) return 'cleared';
  return `finished ${counted(before.length, 'item')}`;
}

/** A new pending item is only added; one that is already begun or done counts as moved, too. */
function isMoved(item: Item, old: Item | undefined): boolean {
  return item.status !== (old?.status ?? 'pending');
}

function having(items: Items, status: TodoStatus): Items {
  return items.filter((item) => item.status === status);
}

function named({ content }: Item): string {
  return `"${briefText(content)}"`;
}

function firstNamed(what: string, names: readonly string[]): string[] {
  return names.length > 0 ? [`${what} ${firstOf(names, 1, (name) => name)}`] : [];
}
