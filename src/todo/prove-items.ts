import type { CommandResult } from '../base/command/agent-command.ts';
import { refusal } from '../base/command/replies.ts';
import { type Evidence, type Failure, failedText, unprovenText } from '../base/proof/proof.ts';
import { type ItemPair, pairRenamed } from './pair-items.ts';
import { nameOf } from './revise-list.ts';
import type { Items, TodoItem } from './todo-fields.ts';
import type { TodoVersion } from './todo-version.ts';

export interface ProofRules {
  readonly evidence: Evidence;
  /** The checks to run: none, those of items just completed, or all without a proof. */
  readonly runs: 'none' | 'new' | 'all';
  /** TODO_REQUIRE_PROOF: an item with a check can only be completed with its proof. */
  readonly isRequired: boolean;
}

export type ProvenItems =
  | { readonly items: Items; readonly notes: readonly string[] }
  | { readonly refused: CommandResult };

/**
 * Adds proofs: a completed item keeps the proof of its check, or gets one if there is evidence. A proof ends with its
 * check, and with the item's completion. If the list is then emptied, --prove alone finds no item.
 */
export async function proveItems(
  before: TodoVersion,
  items: Items,
  rules: ProofRules,
  isEmptied: boolean,
): Promise<ProvenItems> {
  const hasCheck = ({ check, proof }: Readonly<TodoItem>) => (check ?? proof) !== undefined;
  if (!items.some(hasCheck) && !before.items.some(hasCheck)) return { items, notes: [] };
  const pairs = new Map(pairRenamed(before.items, items).map((pair) => [pair.after, pair]));
  const proven: Readonly<TodoItem>[] = [];
  const unproven: { at: number; check: string; failure?: Failure }[] = [];
  for (const [at, item] of items.entries()) {
    const { proof: _, ...unmarked } = item;
    const was = pairs.get(item)?.before;
    const isNew = was?.status !== 'completed';
    // Leaving out the check while completing an item does not prove it.
    const check = item.check ?? (isNew ? was?.check : undefined);
    if (item.status !== 'completed' || check === undefined) {
      proven.push(unmarked);
      continue;
    }
    const found = await proofOf({ was, check, isNew }, rules);
    if (found && 'failed' in found) unproven.push({ at, check, failure: found });
    else if (found === undefined && isNew) unproven.push({ at, check });
    const proof = found && 'exitCode' in found && item.check !== undefined ? found : undefined;
    proven.push({ ...unmarked, proof });
  }
  const failures = unproven.flatMap(({ at, check, failure }) =>
    failure ? [failedText(`item ${nameOf(items, at)} is unproven`, check, failure)] : [],
  );
  const again = 'the same call with --prove';
  const prove = isEmptied ? `TodoWrite --undo, then ${again}` : 'TodoWrite --prove';
  const call = rules.isRequired ? again : prove;
  const missing = unproven.flatMap(({ at, check, failure }) =>
    failure ? [] : [unprovenText(`item ${nameOf(items, at)} is unproven`, check, call)],
  );
  const lines = failures.length > 0 || !rules.isRequired ? failures : missing;
  if (lines.length > 0) return { refused: refusal('Cannot update the list', { lines }) };
  return { items: proven, notes: missing };
}

async function proofOf(
  { was, check, isNew }: { was: ItemPair['before']; check: string; isNew: boolean },
  { evidence, runs }: ProofRules,
) {
  if (!isNew && was?.proof && was.check === check) return was.proof;
  if (runs === 'all' || (runs === 'new' && isNew)) return evidence.run(check);
  return undefined;
}
