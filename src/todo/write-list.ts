import { type CommandResult, done } from '../base/command/agent-command.ts';
import { noteLines, refusal, withNotes } from '../base/command/replies.ts';
import { isOpen } from '../base/command/status.ts';
import { type Proof, unprovenText } from '../base/proof/proof.ts';
import type { ListSettings } from '../base/settings/settings.ts';
import { listJson, listText, movedOn, nextText, notKept, summaryText } from './list-text.ts';
import { contentKey, pairRenamed } from './pair-items.ts';
import { itemName, type ListSteps, type RevisedList, reviseList } from './revise-list.ts';
import { type Item, type Items, TODO_FIELDS } from './todo-fields.ts';
import { validateTodoList } from './todo-schema.ts';
import type { TodoList } from './todo-store.ts';
import { leftBehindNotes, type TodoVersion } from './todo-version.ts';
import { notesOf, refuseForUser, type UnreadChanges, unreadChanges } from './user-changes.ts';

/** The written list with the version that it replaced, and notes; or the refusal of a write that changed nothing. */
export type WriteOutcome = Written | { readonly refused: CommandResult };

interface Written {
  readonly written: TodoVersion;
  readonly replaced: TodoVersion;
  readonly notes: readonly (string | undefined)[];
}

export type Wanted =
  | { readonly items: Items; readonly dropped?: undefined }
  | { readonly steps: ListSteps };

export interface ProofRules {
  /** An item with a check can only be completed with its proof (TODO_REQUIRE_PROOF). */
  readonly isRequired: boolean;
  /** The proofs of checks that have just passed, by `proofKey`: another item may be in the place. */
  readonly proofs?: ReadonlyMap<string, Proof>;
}

/** Identifies an item with a check, wherever it is by now. */
export function proofKey(item: Item, check: string): string {
  return `${contentKey(item)}\n${check}`;
}

/** Writes a list as one version, only if it is at the version `expected`, if given. */
export async function write(
  list: TodoList,
  wanted: Wanted,
  expected: number | undefined,
  settings: ListSettings,
  rules: ProofRules,
): Promise<WriteOutcome> {
  for (;;) {
    // 1. Read the newest version, which must be the expected one.
    const newest = await ('items' in wanted ? list.readToReplace() : list.read());
    if (expected !== undefined && newest.version !== expected) {
      const then = (await list.history()).find(({ version }) => version === expected);
      const isOld = 'items' in wanted && then !== undefined && isSameList(wanted.items, then.items);
      return { refused: movedOn(newest, expected, isOld) };
    }
    // 2. Refuse once if the agent may not know what it changes: a person has changed the list.
    const unread = expected === undefined ? await unreadChanges(list, newest) : undefined;
    const objection = unread && objectionTo(wanted, unread);
    if (objection) {
      const refused = await refuseForUser(objection, unread, list);
      if (refused) return { refused };
      continue;
    }
    const before = unread?.now ?? newest;
    // 3. Compute the new list, with the proofs of its items.
    const planned = 'items' in wanted ? wanted : afterSteps(before, wanted.steps, settings);
    if ('refused' in planned) {
      return { refused: withNotes(planned.refused, await leftBehindNotes(list, before)) };
    }
    const { items, dropped } = planned;
    const emptied = isEmptied(items, settings);
    const proven = proveItems(before, items, rules, emptied);
    if ('refused' in proven) return proven;
    // 4. Commit it; begin again if another writer was faster.
    const written = await list.updateIf(before.version, proven.items, { emptied, dropped });
    if (written === undefined) continue;
    const ofUser = unread ? notesOf(unread) : [];
    const notes = [newest.damage, ...ofUser, ...proven.notes];
    return { written, replaced: before, notes };
  }
}

/** Items are named by their places, which an unread change may have moved; a whole list may undo it. */
function objectionTo(wanted: Wanted, { changes }: UnreadChanges): string | undefined {
  if ('steps' in wanted) return CHANGED;
  return changes.some((each) => each.isUndoneBy(wanted.items)) ? UNDOES : undefined;
}

function afterSteps(
  { items }: TodoVersion,
  steps: ListSteps,
  settings: ListSettings,
): RevisedList | { readonly refused: CommandResult } {
  const revised = reviseList(items, steps);
  if ('problems' in revised) {
    return { refused: refusal('Cannot update the list', { lines: revised.problems }) };
  }
  const valid = withinLimits(revised.items, settings);
  return 'refused' in valid ? valid : { items: valid.items, dropped: revised.dropped };
}

/** Proofs, and the fields of newer builds, are kept without being checked. */
export function withinLimits(
  items: Items,
  settings: ListSettings,
): { readonly items: Items } | { readonly refused: CommandResult } {
  const isOurs = ([name]: [string, unknown]) => Object.hasOwn(TODO_FIELDS, name);
  const given = items.map((one) => Object.fromEntries(Object.entries(one).filter(isOurs)));
  const validation = validateTodoList({ todos: given }, settings);
  if ('problems' in validation) {
    return { refused: refusal('Validation failed', validation.problems) };
  }
  return { items: validation.items.map((item, at) => ({ ...items[at], ...item })) };
}

/**
 * Adds proofs: a completed item keeps the proof of its check, or gets the one that its check has just earned. A proof ends with
 * its check, and with the item's completion.
 *
 * @param isEmptied true if TodoProve will find no item, since the finished list is emptied.
 */
function proveItems(
  before: TodoVersion,
  items: Items,
  { isRequired, proofs }: ProofRules,
  isEmptied: boolean,
):
  | { readonly items: Items; readonly notes: readonly string[] }
  | { readonly refused: CommandResult } {
  const hasCheck = ({ check, proof }: Item) => (check ?? proof) !== undefined;
  const isAsked = proofs !== undefined || [...items, ...before.items].some(hasCheck);
  if (!isAsked) return { items, notes: [] };
  // 1. Give each item its proof.
  const old = new Map(pairRenamed(before.items, items).map((pair) => [pair.after, pair.before]));
  const all = items.map((item) => withItsProof(item, old.get(item), proofs));
  // 2. TodoProve completes nothing without a proof, and uses every proof.
  const isMissing = all.some(({ isNew, proof }) => isNew && !proof);
  const proven = new Set(all.map(({ key }) => key));
  if (proofs && (isMissing || [...proofs.keys()].some((key) => !proven.has(key)))) {
    return { refused: refusal('Cannot prove the items', { lines: [OUT_OF_PLACE] }) };
  }
  // 3. Others may complete an item without the proof of its check, unless that is required.
  const unproven = all.flatMap(({ isNew, proof, check }, at) => {
    if (!isNew || proof || check === undefined) return [];
    // TodoProve finds the item on the new list; else on the one before it, which stays or comes back.
    const isFound = items[at]?.check !== undefined && !isEmptied && !isRequired;
    const [place, was] = [itemName(items, at), old.get(items[at])];
    const name = isFound ? place : was && itemName(before.items, before.items.indexOf(was));
    const way = isFound || isRequired ? '' : 'TodoWrite --undo, then ';
    const call = name === undefined ? 'write it as pending first' : `${way}TodoProve ${name}`;
    return [unprovenText(`item ${name ?? place} is unproven`, check, call)];
  });
  if (isRequired && unproven.length > 0) {
    return { refused: refusal('Cannot update the list', { lines: unproven }) };
  }
  return { items: all.map(({ item }) => item), notes: unproven };
}

/** Another item is in the place of one whose check ran. */
const OUT_OF_PLACE =
  'the list changed while a check ran; find the items with TodoRead, then TodoProve them again';

/** @param was the item before. @param proofs see ProofRules. */
function withItsProof(item: Item, was: Item | undefined, proofs: ProofRules['proofs']) {
  const { proof: _, ...unmarked } = item;
  const isDone = item.status === 'completed';
  const isNew = isDone && was?.status !== 'completed';
  // Leaving out the check while completing an item does not prove it.
  const check = item.check ?? (isNew ? was?.check : undefined);
  if (!isDone || check === undefined) return { item: unmarked, isNew, check };
  const kept = !isNew && was?.check === check ? was.proof : undefined;
  const key = proofKey(item, check);
  const proof = proofs?.get(key) ?? kept;
  const isKept = proof !== undefined && item.check !== undefined;
  return { item: isKept ? { ...unmarked, proof } : unmarked, isNew, check, key, proof };
}

const REPLIES = {
  summary: summaryText,
  next: (list: TodoVersion) => summaryText(list) + nextText(list),
  list: ({ items }: TodoVersion) => listText(items),
  json: (list: TodoVersion) => listJson(list),
};

export function replyTo(
  written: TodoVersion,
  output: keyof typeof REPLIES,
  notes: Written['notes'],
): CommandResult {
  const { asWritten: items } = written;
  const stdout = REPLIES[output](items ? { ...written, items } : written);
  return done(stdout, noteLines(new Set(notes)));
}

/** @param to the version to restore; default: the one before the last change. */
export async function undo(list: TodoList, to?: number): Promise<WriteOutcome> {
  const before = await list.read();
  const unread = await unreadChanges(list, before);
  const refused = unread && (await refuseForUser(UNDOES, unread, list));
  if (refused) return { refused };
  const written = await list.undo(to);
  if (!written && to !== undefined) return { refused: notKept(to, await list.history()) };
  if (!written) {
    return { refused: refusal('Nothing to undo', { lines: ['no earlier version is kept'] }) };
  }
  return { written, replaced: before, notes: [written.instead] };
}

/** Makes the list that another session left this agent's own. The other session keeps its list. */
export async function adopt(list: TodoList): Promise<WriteOutcome> {
  for (;;) {
    const replaced = await list.read();
    if (replaced.items.some(isOpen)) {
      const lines = ['your list has open items: finish them, or drop them with --drop N'];
      return { refused: refusal('Cannot take over another list', { lines }) };
    }
    const left = await list.leftBehind?.();
    if (left === undefined) {
      const lines = ['no other session has left open items here'];
      return { refused: refusal('Nothing to take over', { lines }) };
    }
    const written = await list.updateIf(replaced.version, left.newest.items);
    const notes = [`this was the list of ${left.agent}, which keeps its own`];
    if (written) return { written, replaced, notes };
  }
}

const UNDOES = 'This would undo what the user changed';
export const CHANGED = 'The user changed the list';

/** True if a list is written as it was: its writer means to restore it. */
function isSameList(items: Items, then: Items): boolean {
  const states = (some: Items) => some.map(({ content, status }) => [content, status]);
  return JSON.stringify(states(items)) === JSON.stringify(states(then));
}

function isEmptied(items: Items, { clearWhenDone }: ListSettings): boolean {
  return clearWhenDone && items.length > 0 && !items.some(isOpen);
}
