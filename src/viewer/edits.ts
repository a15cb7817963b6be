import { isDeepStrictEqual } from 'node:util';
import { briefText, nameText } from '../base/safe-text.ts';
import { USER } from '../lists/place.ts';
import { namesOf } from '../screen/panel/status-times.ts';
import type { Task } from '../tasks/task.ts';
import type { Item, Items, TodoItem, TodoStatus } from '../todo/todo-fields.ts';
import type { ItemInput, TaskInput, TaskRequest, ViewerState, WriteRequest } from './model.ts';
import {
  choices,
  chosenItem,
  chosenTask,
  isOfTeam,
  pageOf,
  selectedIndex,
  selectedName,
  shownList,
  withCursor,
} from './shown.ts';

type StateEdit = (state: ViewerState) => ViewerState;

export const ITEM_EDITS = new Map<string, StateEdit>([
  ['n', (state) => askingItem(state, 'addItem', '')],
  ['e', (state) => askingItem(state, 'editItem', chosenItem(state)?.text)],
  ['p', startedItem],
  ['x', (state) => changedAtSelection(state, completed)],
  ['d', (state) => changedAtSelection(state, dropItem)],
  ['K', (state) => movedItem(state, -1)],
  ['J', (state) => movedItem(state, 1)],
  ['u', undoneItem],
]);

/** The keys of the board. */
export const TASK_EDITS = new Map<string, StateEdit>([
  ['n', (state) => withInput(state, { kind: 'addTask', before: '', after: '', task: undefined })],
  ['e', (state) => askingTask(state, 'editTask', ({ subject }) => subject)],
  ['o', (state) => askingTask(state, 'owner', () => '')],
  ['p', (state) => changedTask(state, startedTask)],
  ['x', (state) => changedTask(state, completedTask)],
  ['d', (state) => changedTask(state, deletedTask)],
  ['u', undoneTask],
]);

const NOTHING_TO_UNDO = 'You have made no change to undo here.';

export function written(state: ViewerState, input: ItemInput | TaskInput): ViewerState {
  const text = (input.before + input.after).trim();
  if ('task' in input) return taskWritten(state, input, text);
  const items = shownList(state)?.versions[0].items ?? [];
  const at = namesOf(items).indexOf(input.name ?? '');
  const isSame = input.kind === 'editItem' && text === items[at]?.content;
  if (isSame || text === '') return withInput(state, undefined);
  const version = newestIfSame(state, input.version) ?? input.version;
  return writing(state, withText(items, at, input.kind, text), version);
}

/** The newest version, if it has the same items: an agent that reads a person's change signs it as a version of its own. */
function newestIfSame(state: ViewerState, version: number): number | undefined {
  const { versions } = shownList(state) ?? {};
  const then = versions?.find((one) => one.version === version);
  return isDeepStrictEqual(then?.items, versions?.[0].items) ? versions?.[0].version : undefined;
}

function withInput(state: ViewerState, input: ViewerState['input']): ViewerState {
  return { ...state, input };
}

interface ListChange {
  readonly items: Items;
  readonly told: string;
  /** The item to select afterwards. */
  readonly at: number;
}

function withText(items: Items, at: number, kind: ItemInput['kind'], text: string): ListChange {
  const old = items[at];
  if (kind === 'editItem' && old) {
    const item = { ...old, content: text, activeForm: text };
    return { items: items.with(at, item), told: `Changed to ${quotedName(item)}`, at };
  }
  const item = { content: text, activeForm: text, status: 'pending' as const };
  const below = at === -1 ? items.length : at + 1;
  return { items: items.toSpliced(below, 0, item), told: `Added ${quotedName(item)}`, at: below };
}

/** Only one item can be in progress, so another one is put back only after a question. */
function startedItem(state: ViewerState): ViewerState {
  const next = changedAtSelection(state, started);
  const { request } = next;
  if (request?.what !== 'write') return state;
  const isBusy = (item: Item) => item.status === 'in_progress';
  const active = request.before.find(isBusy);
  const isOther = active !== undefined && request.items.some(isBusy);
  if (!isOther) return next;
  const text = `${quotedName(active)} is in progress. Put it back and begin "${briefText(chosenItem(state)?.text ?? '')}"?`;
  return withInput(state, { kind: 'question', text, request });
}

function started(items: Items, at: number): ListChange {
  const isActive = items[at]?.status === 'in_progress';
  const next = items.map((item, index) => {
    if (index === at) return withStatus(item, isActive ? 'pending' : 'in_progress');
    return item.status === 'in_progress' ? withStatus(item, 'pending') : item;
  });
  return { items: next, told: `${isActive ? 'Put back' : 'Began'} ${quotedName(items[at])}`, at };
}

function completed(items: Items, at: number): ListChange {
  const isDone = items[at]?.status === 'completed';
  const status = isDone ? 'pending' : 'completed';
  const next = items.map((item, index) => (index === at ? withStatus(item, status) : item));
  return { items: next, told: `${isDone ? 'Reopened' : 'Completed'} ${quotedName(items[at])}`, at };
}

/** An item loses its proof when its status changes. */
function withStatus({ proof: _, ...item }: Item, status: TodoStatus): TodoItem {
  return { ...item, status };
}

function dropItem(items: Items, at: number): ListChange {
  const told = `Dropped ${quotedName(items[at])}`;
  return { items: items.toSpliced(at, 1), told, at: Math.min(at, items.length - 2) };
}

/** Moves the item past hidden ones. */
function movedItem(state: ViewerState, by: 1 | -1): ViewerState {
  const to = visibleIndex(state, by);
  if (to === undefined) return state;
  return changedAtSelection(state, (items, at) => {
    const item = items[at];
    const next = item ? items.toSpliced(at, 1).toSpliced(to, 0, item) : items;
    return { items: next, told: `Moved ${quotedName(item)}`, at: to };
  });
}

function quotedName(item: Item | undefined): string {
  return `"${briefText(item?.content ?? '')}"`;
}

/** The place in the whole list of the visible item `below` rows below the selected one. */
function visibleIndex(state: ViewerState, below: number): number | undefined {
  const name = choices(state)[selectedIndex(state) + below] ?? '';
  const at = namesOf(shownList(state)?.versions[0].items ?? []).indexOf(name);
  return at === -1 ? undefined : at;
}

/** @param text undefined if there is nothing to edit. */
function askingItem(state: ViewerState, kind: ItemInput['kind'], text: string | undefined) {
  if (text === undefined) return state;
  const version = shownList(state)?.versions[0].version ?? 0;
  const { name } = chosenItem(state) ?? {};
  const { agent = state.awaited } = state;
  return withInput({ ...state, agent }, { kind, before: text, after: '', name, version });
}

function changedAtSelection(
  state: ViewerState,
  change: (items: Items, at: number) => ListChange,
): ViewerState {
  const at = visibleIndex(state, 0);
  const newest = shownList(state)?.versions[0];
  if (at === undefined || newest === undefined) return state;
  return writing(state, change(newest.items, at), newest.version);
}

/** Requests a write on top of this version, after which the item is selected. */
function writing(
  state: ViewerState,
  { items, told, at }: ListChange,
  version: number,
  more: Pick<WriteRequest, 'undo' | 'isRestored'> = { undo: 'push' },
): ViewerState {
  const before = shownList(state)?.versions[0].items ?? [];
  const { agent = state.awaited } = state;
  const cursor = namesOf(items)[at];
  const was = visibleIndex(state, 0) ?? -1;
  const change = { agent, version, before, items, told, at: was, cursor };
  return { ...state, request: { what: 'write', ...change, ...more } };
}

/** Undoes the last change made here, unless someone else has changed the list since. */
function undoneItem(state: ViewerState): ViewerState {
  const { agent, versions } = shownList(state) ?? {};
  if (versions === undefined) return state;
  const [newest] = versions;
  const last = state.undo?.findLast((change) => change.what === 'write' && change.agent === agent);
  if (last?.what !== 'write') return { ...state, message: NOTHING_TO_UNDO };
  if (newestIfSame(state, last.made) === undefined) {
    const { by } = versions.find((version) => version.by !== USER) ?? newest;
    const message = `${nameText(by)} has changed the list since, so your change cannot be undone.`;
    return { ...state, message };
  }
  const change = { items: last.before, told: undoneText(last.told), at: last.at };
  return writing(state, change, newest.version, { undo: 'pop', isRestored: true });
}

/** Writes the chosen older version as a new one, and shows the list. */
export function restored(state: ViewerState): ViewerState {
  const { name, version = name === 'history' ? Number(selectedName(state) ?? 0) : 0 } =
    pageOf(state);
  if (version === 0) return state;
  if (isOfTeam(state)) {
    const message = `Tasks change one by one: TaskUndo --at ${version} undoes what this version changed.`;
    return { ...state, message };
  }
  const { versions = [] } = shownList(state) ?? {};
  const [newest] = versions;
  const then = versions.find((one) => one.version === version);
  if (newest === undefined || then === undefined) return state;
  const list: ViewerState = { ...state, pages: [{ name: 'list', top: 0 }] };
  if (newestIfSame(state, version)) return { ...list, message: `It is as in version ${version}.` };
  const change = { items: then.items, told: `Restored version ${version}`, at: -1 };
  return writing(list, change, newest.version, { undo: 'push', isRestored: true });
}

/** `Restored #2 Print` for `Deleted #2 Print`, and `Undone: began "b"` for `Began "b"`. */
function undoneText(told: string): string {
  const restored = told.replace(/^(?:Dropped|Deleted) /, 'Restored ');
  return restored === told ? `Undone: ${told.charAt(0).toLowerCase()}${told.slice(1)}` : restored;
}

type TaskEdit = Pick<TaskRequest, 'command' | 'json' | 'told' | 'force'>;

function taskWritten(state: ViewerState, { kind, task }: TaskInput, text: string): ViewerState {
  const isSame = text === ((kind === 'owner' ? task?.owner : task?.subject) ?? '');
  if (isSame || (text === '' && kind !== 'owner')) return withInput(state, undefined);
  if (task === undefined) {
    const told = `Added "${briefText(text)}"`;
    return asked(state, { command: 'TaskCreate', json: { subject: text }, told }, undefined);
  }
  if (kind === 'editTask') return asked(state, renameTask(task, text), task);
  return asked(state, text === '' ? released(task) : assigned(task, text), task);
}

function updated({ id }: Task, change: object, told: string): TaskEdit {
  return { command: 'TaskUpdate', json: { taskId: id, ...change }, told };
}

/** Starts an assigned task for its owner, and an unowned one for the user. */
function startedTask(task: Task): TaskEdit {
  if (task.status === 'in_progress') return released(task);
  const change = { status: 'in_progress', owner: task.owner ?? USER };
  return updated(task, change, `Began ${taskInReport(task)}`);
}

function completedTask(task: Task): TaskEdit {
  const isDone = task.status === 'completed';
  const told = `${isDone ? 'Reopened' : 'Completed'} ${taskInReport(task)}`;
  return updated(task, { status: isDone ? 'pending' : 'completed' }, told);
}

function deletedTask(task: Task): TaskEdit {
  return updated(task, { status: 'deleted' }, `Deleted ${taskInReport(task)}`);
}

/** The active form described the old subject. */
function renameTask(task: Task, subject: string): TaskEdit {
  const form = task.activeForm !== undefined && { activeForm: subject };
  return updated(task, { subject, ...form }, `Changed to "${briefText(subject)}"`);
}

/** The user is in charge, like a leader: other agents' claims do not prevent this. */
function assigned(task: Task, owner: string): TaskEdit {
  const told = `Assigned ${taskInReport(task)} to ${nameText(owner)}`;
  return { ...updated(task, { owner }, told), force: true };
}

function released(task: Task): TaskEdit {
  const told = `Released ${taskInReport(task)}`;
  return { command: 'TaskRelease', json: { taskIds: [task.id] }, told };
}

function taskInReport({ id, subject }: Task): string {
  return `#${id} ${briefText(subject)}`;
}

function askingTask(state: ViewerState, kind: TaskInput['kind'], textOf: (task: Task) => string) {
  const task = chosenTask(state);
  return task ? withInput(state, { kind, before: textOf(task), after: '', task }) : state;
}

function changedTask(state: ViewerState, change: (task: Task) => TaskEdit): ViewerState {
  const task = chosenTask(state);
  // Keep the task selected, wherever it moves.
  return task ? asked(withCursor(state, String(task.id)), change(task), task) : state;
}

function asked(state: ViewerState, change: TaskEdit, seen: Task | undefined): ViewerState {
  return { ...state, request: { what: 'task', ...change, seen, undo: 'push' } };
}

/** Undoes the last change made here, unless the task has changed since. */
function undoneTask(state: ViewerState): ViewerState {
  const last = state.undo?.findLast(({ what }) => what === 'task');
  if (last === undefined) return { ...state, message: NOTHING_TO_UNDO };
  const [json, told] = [{ at: last.made }, undoneText(last.told)];
  return { ...state, request: { what: 'task', command: 'TaskUndo', json, told, undo: 'pop' } };
}
