import { briefText, counted, inQuotes } from '../base/safe-text.ts';
import type { Items, TodoItem } from './todo-fields.ts';

/** The options that change single items, with the status that each gives. */
export const STEPS = {
  '--start': 'in_progress',
  '--done': 'completed',
  '--pending': 'pending',
  '--drop': undefined,
} as const;
type StepOption = keyof typeof STEPS;
export const STEP_OPTIONS = Object.keys(STEPS) as StepOption[];

/** Changes of single items, each named by its id or its place, counted from 1. */
export interface ListSteps extends Partial<Record<StepOption, readonly string[]>> {
  /** New items, at the end; the other steps may name them. */
  readonly add?: readonly Pick<TodoItem, 'content' | 'activeForm'>[] | undefined;
}

export interface RevisedList {
  readonly items: Items;
  /** The items left out on purpose. */
  readonly dropped: Items;
}

/** Applies steps, or returns all reasons against them. Limits are not applied here. */
export function reviseList(
  before: Items,
  { add = [], ...steps }: ListSteps,
): RevisedList | { readonly problems: readonly string[] } {
  const items = [...before, ...add.map((item) => ({ ...item, status: 'pending' as const }))];
  const problems: string[] = [];
  const changes = new Map<number, StepOption>();
  const named = (option: StepOption) =>
    (steps[option] ?? []).flatMap((text) => itemNamesIn(items, text));
  for (const option of STEP_OPTIONS) {
    for (const name of named(option)) {
      const at = itemIndex(items, name);
      const other = at === undefined ? undefined : changes.get(at);
      if (at === undefined) problems.push(noSuchItem(items, name, option, before.length));
      else if (other && other !== option) problems.push(`${other} and ${option} both name ${name}`);
      else changes.set(at, option);
    }
  }
  if (problems.length > 0) return { problems };
  const [start, ...others] = named('--start');
  const held = items.findIndex(({ status }, at) => status === 'in_progress' && !changes.has(at));
  if (start !== undefined && others.length === 0 && held !== -1) {
    const isAlone = changes.size === 1 && add.length === 0;
    return { problems: [wayToStart(items, held, isAlone ? start : undefined)] };
  }
  const revised = items.flatMap((item, at) => {
    const change = changes.get(at);
    if (change === '--drop') return [];
    return change ? { ...item, status: STEPS[change] } : item;
  });
  return { items: revised, dropped: items.filter((_, at) => changes.get(at) === '--drop') };
}

/** @param start for a call in full; undefined if other steps would be missing from it. */
function wayToStart(items: Items, held: number, start: string | undefined): string {
  const name = itemName(items, held);
  const content = briefText(items[held]?.content ?? '');
  const [advice, then] = start === undefined ? ['First', ''] : ['Try', ` --start ${start}`];
  const ways = `TodoWrite --done ${name}${then}, or --pending ${name}${then}`;
  return `item ${name} is in_progress: "${content}". ${advice}: ${ways}`;
}

/** `3`, or several at once: `1,2`. */
function itemNamesIn(items: Items, text: string): string[] {
  return items.some(({ id }) => id === text) ? [text] : text.split(',').map((name) => name.trim());
}

/** An item's name in options: its id, or its place if it has none; `@2` if 2 is the id of another item. */
export function itemName(items: Items, at: number): string {
  const id = items[at]?.id;
  if (id !== undefined && /^\w[\w.-]*$/.test(id)) return id;
  const place = String(at + 1);
  return items.some((item) => item.id === place) ? `@${place}` : place;
}

/** An id comes before a place: lists with ids use them as names. */
function itemIndex(items: Items, name: string): number | undefined {
  const byId = items.findIndex(({ id }) => id === name);
  if (byId !== -1) return byId;
  const place = /^[#@]?[1-9]\d{0,8}$/.test(name) ? Number(name.replace(/\D/, '')) - 1 : -1;
  return place >= 0 && place < items.length ? place : undefined;
}

/** @param stored how many of the items there would be without the refused call. */
function noSuchItem(items: Items, name: string, option: string, stored: number): string {
  const named = items.findIndex(({ content }) => content.toLowerCase() === name.toLowerCase());
  if (named !== -1) {
    const right = itemName(items, named);
    const call = named < stored ? `Try: TodoWrite ${option} ${right}` : `Write ${option} ${right}`;
    return `${inQuotes(name)} is item ${right}. ${call}`;
  }
  const way = /^\d+ *(?:-|\.\.) *\d+$/.test(name)
    ? 'several are written 1,2'
    : `the list has ${counted(items.length, 'item')}, see TodoRead`;
  return `there is no item ${inQuotes(name)}; ${way}`;
}
