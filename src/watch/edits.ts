import { briefText } from '../safe-text.ts';
import type { Items, TodoItem, TodoStatus } from '../todo/todo-item.ts';
import type { ItemInput, Request, ViewerState, WriteRequest } from './model.ts';
import { chosen, namedItems, pageOf, shownItems, shownList, withCursor } from './shown.ts';

export const NOTHING_TO_UNDO = 'You have not changed anything here yet.';

/** The keys that change the list. */
export const EDITS = new Map<string, (state: ViewerState) => ViewerState>([
  ['n', (state) => asking(state, 'add', '')],
  [
    'e',
    (state) => {
      const item = target(state)?.item;
      return item ? asking(state, 'edit', item.content) : state;
    },
  ],
  ['p', (state) => changed(state, started)],
  ['x', (state) => changed(state, completed)],
  ['d', (state) => changed(state, dropped)],
  ['K', (state) => changed(state, (items, at) => moved(items, at, placeOf(state, -1) ?? at))],
  ['J', (state) => changed(state, (items, at) => moved(items, at, placeOf(state, 1) ?? at))],
  ['u', undone],
]);

/** The items after a change, and the message about it. */
interface Change {
  readonly items: Items;
  readonly told: string;
  /** The item to select afterwards. */
  readonly at: number;
}

/** Turns the typed text into a new item, or into the new text of the item it was typed for. */
export function written(
  state: ViewerState,
  { kind, name, before, after, version }: ItemInput,
): ViewerState {
  const text = (before + after).trim();
  if (text === '') return { ...state, input: undefined };
  const items = shownList(state)?.versions[0].items ?? [];
  const at = namedItems(items).findIndex((item) => item.name === name);
  return writing(state, withText(items, at, kind, text), version);
}

function withText(items: Items, at: number, kind: ItemInput['kind'], text: string): Change {
  const old = items[at];
  if (kind === 'edit' && old) {
    const item = { ...old, content: text, activeForm: text };
    return { items: items.with(at, item), told: `Changed to "${name(item)}"`, at };
  }
  const item = { content: text, activeForm: text, status: 'pending' as const };
  return { items: items.toSpliced(at + 1, 0, item), told: `Added "${name(item)}"`, at: at + 1 };
}

/** Only one item can be in progress. */
function started(items: Items, at: number): Change {
  const isActive = items[at]?.status === 'in_progress';
  const next = items.map((item, index): TodoItem => {
    if (index === at) return withStatus(item, isActive ? 'pending' : 'in_progress');
    return item.status === 'in_progress' ? withStatus(item, 'pending') : item;
  });
  return { items: next, told: `${isActive ? 'Put back' : 'Began'} "${name(items[at])}"`, at };
}

function completed(items: Items, at: number): Change {
  const isDone = items[at]?.status === 'completed';
  const status = isDone ? 'pending' : 'completed';
  const next = items.map(
    (item, index): TodoItem => (index === at ? withStatus(item, status) : item),
  );
  return { items: next, told: `${isDone ? 'Put back' : 'Completed'} "${name(items[at])}"`, at };
}

/** A proof belongs to the completion, so it goes with it. */
function withStatus({ proof: _, ...item }: Readonly<TodoItem>, status: TodoStatus): TodoItem {
  return { ...item, status };
}

function dropped(items: Items, at: number): Change {
  const told = `Dropped "${name(items[at])}"; u undoes that`;
  return { items: items.toSpliced(at, 1), told, at: Math.min(at, items.length - 2) };
}

function moved(items: Items, at: number, to: number): Change {
  const item = items[at];
  const next = item ? items.toSpliced(at, 1).toSpliced(to, 0, item) : items;
  return { items: next, told: `Moved "${name(item)}"`, at: to };
}

function name(item: Readonly<TodoItem> | undefined): string {
  return briefText(item?.content ?? '');
}

/** The index, in the whole list, of the visible item so many rows below the selected one. Hidden items are skipped. */
function placeOf(state: ViewerState, below: number): number | undefined {
  const shown = shownItems(state)[chosen(state) + below];
  const items = namedItems(shownList(state)?.versions[0].items ?? []);
  const at = items.findIndex(({ name }) => name === shown?.name);
  return at === -1 ? undefined : at;
}

/** The selected item and its index in the whole list. Only the list page allows changes. */
function target(state: ViewerState) {
  const named = shownItems(state)[chosen(state)];
  if (pageOf(state).name !== 'list' || named === undefined) return undefined;
  const items = namedItems(shownList(state)?.versions[0].items ?? []);
  return { item: named.item, at: items.findIndex((other) => other.name === named.name) };
}

function asking(state: ViewerState, kind: 'add' | 'edit', text: string): ViewerState {
  if (pageOf(state).name !== 'list') return state;
  const version = shownList(state)?.versions[0].version ?? 0;
  const name = shownItems(state)[chosen(state)]?.name;
  return { ...state, input: { kind, before: text, after: '', name, version } };
}

function changed(state: ViewerState, change: (items: Items, at: number) => Change): ViewerState {
  const at = target(state)?.at;
  const newest = shownList(state)?.versions[0];
  if (at === undefined || newest === undefined) return state;
  return writing(state, change(newest.items, at), newest.version);
}

/** Requests a write on top of this version, and keeps the item selected. */
function writing(state: ViewerState, { items, told, at }: Change, version: number): ViewerState {
  const before = shownList(state)?.versions[0].items ?? [];
  const agent = shownList(state)?.agent ?? state.agent ?? state.awaited;
  const cursor = namedItems(items)[at]?.name;
  const request: Request = { what: 'write', agent, version, items, told, undo: { before } };
  return { ...withCursor(state, cursor), request };
}

/** Undoes the last change made here, unless someone else has changed the list since. */
function undone(state: ViewerState): ViewerState {
  const newest = shownList(state)?.versions[0];
  const agent = shownList(state)?.agent;
  if (pageOf(state).name !== 'list' || newest === undefined || agent === undefined) return state;
  const { undo } = state;
  const before = undo?.befores.at(-1);
  if (before === undefined) return { ...state, message: NOTHING_TO_UNDO };
  if (undo?.agent !== agent || undo.version !== newest.version) {
    return {
      ...state,
      message: `${briefText(newest.by)} has changed the list since, so your change cannot be undone.`,
    };
  }
  const request: Request = {
    what: 'write',
    agent,
    version: newest.version,
    items: before,
    told: 'Undid your last change',
    undo: 'pop',
  };
  return { ...state, request };
}

/** The result of a write: the new version, or why it was refused. */
export type Written = { readonly version: number } | { readonly refused: string };

/** The viewer's state after a write. */
export function afterWrite(
  state: ViewerState,
  request: WriteRequest,
  result: Written,
): ViewerState {
  if ('refused' in result) {
    // The typed text is kept; Enter tries again on the current list.
    const list = state.known.lists.find(({ agent }) => agent === request.agent);
    const version = list?.versions[0].version ?? 0;
    const input = state.input && 'version' in state.input && { ...state.input, version };
    return { ...state, input: input || undefined, message: result.refused };
  }
  const undo = undoAfter(state, request, result.version);
  return { ...state, input: undefined, message: request.told, undo };
}

/** What can be undone after our write made this version. */
function undoAfter(state: ViewerState, request: WriteRequest, version: number) {
  const { agent, undo } = request;
  const isOurs = state.undo?.agent === agent && state.undo.version === request.version;
  const befores = isOurs ? (state.undo?.befores ?? []) : [];
  return {
    agent,
    version,
    befores: undo === 'pop' ? befores.slice(0, -1) : [...befores, undo.before],
  };
}
