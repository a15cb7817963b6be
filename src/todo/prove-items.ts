import type { CommandResult } from '../base/command/agent-command.ts';
import { refusal } from '../base/command/replies.ts';
import { type Proof, unprovenText } from '../base/proof/proof.ts';
import { pairRenamed } from './pair-items.ts';
import { itemName } from './revise-list.ts';
import type { Items, TodoItem } from './todo-fields.ts';
import type { TodoVersion } from './todo-version.ts';

export interface ProofRules {
  /** An item with a check can only be completed with its proof (TODO_REQUIRE_PROOF). */
  readonly isRequired: boolean;
  /** The proofs of checks that have just passed. */
  readonly proofs?: ReadonlyMap<string, Proof>;
}

export type ProvenItems =
  | { readonly items: Items; readonly notes: readonly string[] }
  | { readonly refused: CommandResult };

/**
 * Adds proofs: a completed item keeps the proof of its check, or gets the one that its check has just earned. A proof ends with
 * its check, and with the item's completion. If the list is then emptied, TodoProve finds no item.
 */
export function proveItems(
  before: TodoVersion,
  items: Items,
  { isRequired, proofs }: ProofRules,
  isEmptied: boolean,
): ProvenItems {
  const hasCheck = ({ check, proof }: Readonly<TodoItem>) => (check ?? proof) !== undefined;
  const isUnasked = proofs === undefined && ![...items, ...before.items].some(hasCheck);
  if (isUnasked) return { items, notes: [] };
  const pairs = new Map(pairRenamed(before.items, items).map((pair) => [pair.after, pair]));
  const proven: Readonly<TodoItem>[] = [];
  const unproven: string[] = [];
  for (const [at, item] of items.entries()) {
    const { proof: _, ...unmarked } = item;
    const was = pairs.get(item)?.before;
    const isNew = was?.status !== 'completed';
    // Leaving out the check while completing an item does not prove it.
    const check = item.check ?? (isNew ? was?.check : undefined);
    // TodoProve completes nothing without a proof, even if the list changed while a check ran.
    if (proofs && isNew && item.status === 'completed' && check === undefined) {
      unproven.push(`item ${itemName(items, at)} has no check`);
    }
    if (item.status !== 'completed' || check === undefined) {
      proven.push(unmarked);
      continue;
    }
    const kept = !isNew && was?.check === check ? was.proof : undefined;
    const proof = proofs?.get(check) ?? kept;
    if (proof === undefined && isNew) {
      const name = itemName(items, at);
      const way = isEmptied && !isRequired ? 'TodoWrite --undo, then ' : '';
      unproven.push(unprovenText(`item ${name} is unproven`, check, `${way}TodoProve ${name}`));
    }
    proven.push({ ...unmarked, proof: item.check === undefined ? undefined : proof });
  }
  if (isRequired && unproven.length > 0) {
    return { refused: refusal('Cannot update the list', { lines: unproven }) };
  }
  return { items: proven, notes: unproven };
}
