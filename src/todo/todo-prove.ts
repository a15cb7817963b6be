import * as z from 'zod/mini';
import type { AgentBashHandler, CommandResult, Invocation } from '../base/command/agent-command.ts';
import { beginsJson, HELP_OPTIONS, wrongUsage } from '../base/command/options.ts';
import { perform } from '../base/command/perform.ts';
import { refusal, withNotes } from '../base/command/replies.ts';
import { isOpen } from '../base/command/status.ts';
import { CheckRunner, failedText, type Proof } from '../base/proof/proof.ts';
import type { Settings } from '../base/settings/settings.ts';
import { orElse } from '../base/system/files.ts';
import { itemName, reviseList } from './revise-list.ts';
import type { Item, Items } from './todo-fields.ts';
import helpPage from './todo-prove.md';
import { type Advise, LIST_FORM, LIST_OPTIONS, TodoCommand } from './todo-source.ts';
import type { TodoList } from './todo-store.ts';
import { leftBehindNotes } from './todo-version.ts';
import { refuseForUser, unreadChanges } from './user-changes.ts';
import { CHANGED, proofKey, replyTo, withinLimits, write } from './write-list.ts';

export const PROVE_OPTIONS = { '--start': 'texts', ...LIST_OPTIONS, ...HELP_OPTIONS } as const;
const PROVE_USAGE = 'TodoProve [N...] [--start M]';
const PROVE_FORM = {
  options: PROVE_OPTIONS,
  usage: PROVE_USAGE,
  purpose: 'prove the items',
  ...LIST_FORM,
  helpPage,
};
const NOTHING_TO_PROVE =
  'no completed item has an unproven check; to complete and prove one: TodoProve N';

const ITEM_NAME = z.union([z.string(), z.number()]);
/** The input of a tool call, as the only argument. */
const PROVE_INPUT = z.strictObject({
  items: z.optional(z.array(ITEM_NAME)),
  start: z.optional(ITEM_NAME),
});
const NAME_SCHEMA = { type: ['string', 'integer'], description: 'A place, from 1, or an id' };
const PROVE_SCHEMA = {
  type: 'object',
  description: 'Runs the checks of items, and completes those that pass',
  properties: { items: { type: 'array', items: NAME_SCHEMA }, start: NAME_SCHEMA },
  additionalProperties: false,
};

/**
 * `TodoProve`: runs the checks of items and completes those that pass.
 *
 * Exit code 0: all passed. Exit code 1: stderr says which failed and how; those that passed are completed, and stdout is then
 * not empty. 2 and 3 as in TodoWrite.
 */
export class TodoProveHandler extends TodoCommand implements AgentBashHandler {
  readonly name = 'TodoProve';
  readonly summary = 'runs the "check":"npm test" of items';
  readonly jsonExample = '{"items":[1],"start":2}';
  readonly inputSchema = PROVE_SCHEMA;
  readonly isReadOnly = false;
  readonly isConcurrencySafe = false;

  execute(invocation: Invocation): Promise<CommandResult> {
    return perform(PROVE_FORM, invocation, this.settings, async (parsed, settings) => {
      const usage = `Usage: ${PROVE_USAGE}\n`;
      if ('problem' in parsed) return wrongUsage(parsed.problem, usage);
      const { options, rest } = parsed;
      const asked = askedFor(rest, options['--start']);
      if (asked === undefined) return wrongUsage(NOT_INPUT, usage);
      const list = await this.open(options, settings, invocation);
      if ('problem' in list) return wrongUsage(list.problem, usage);
      const checks = new CheckRunner(invocation, {
        by: list.author,
        now: list.now,
        timeout: settings.proofTimeout,
        around: this.home?.around,
      });
      return checks.told(await prove(list, asked, { settings, checks, advise: this.advise }));
    });
  }
}

const NOT_INPUT = 'Expected items as words, or as JSON: {"items":[1],"start":2}';

interface Asked {
  readonly names: readonly string[];
  readonly start: readonly string[] | undefined;
}

/** Undefined for JSON that is no input. */
function askedFor(rest: readonly string[], start: Asked['start']): Asked | undefined {
  const [first = ''] = rest;
  if (!beginsJson(first)) return { names: rest, start };
  const { data } = PROVE_INPUT.safeParse(orElse(() => JSON.parse(first), undefined));
  if (data === undefined || rest.length > 1) return undefined;
  const { items = [], start: next } = data;
  return { names: items.map(String), start: next === undefined ? start : [String(next)] };
}

interface Proving {
  readonly settings: Settings;
  readonly checks: CheckRunner;
  readonly advise: Advise | undefined;
}

async function prove(
  list: TodoList,
  { names, start }: Asked,
  { settings, checks, advise }: Proving,
): Promise<CommandResult> {
  // 1. Refuse before any check runs what would be refused after it.
  const newest = await list.read();
  const unread = await unreadChanges(list, newest);
  const told = unread && (await refuseForUser(CHANGED, unread, list));
  if (told) return told;
  const { items } = newest;
  const chosen = reviseList(items, { '--done': names, '--start': start });
  if ('problems' in chosen) {
    const lines = chosen.problems.map((line) =>
      line
        .replace(/TodoWrite --done (\S+)$/, 'TodoProve $1')
        .replace(/^--start and --done both/, '--start and TodoProve both'),
    );
    const refused = refusal('Cannot prove the items', { lines });
    return withNotes(refused, await leftBehindNotes(list, newest));
  }
  const valid = withinLimits(chosen.items, settings);
  if ('refused' in valid) return valid.refused;
  // 2. Run the checks.
  const isChosen = (item: Item, at: number) =>
    names.length > 0
      ? chosen.items[at] !== item && chosen.items[at]?.status === 'completed'
      : isUnproven(item);
  const { passed, failures, proofs } = await runChecks(items, isChosen, checks);
  if (passed.length + failures.length === 0) failures.push(NOTHING_TO_PROVE);
  const refused = refusal('Cannot prove the items', { lines: failures });
  if (passed.length === 0) return refused;
  // 3. Complete what has passed. An item that failed may still be in progress.
  const isAll = failures.length === 0;
  const steps = { '--done': passed, '--start': isAll ? start : undefined };
  const outcome = await write(list, { steps }, undefined, settings, { isRequired: true, proofs });
  if ('refused' in outcome) return outcome.refused;
  const advice = (await advise?.(list, outcome.replaced, outcome.written)) ?? [];
  const reply = replyTo(outcome.written, 'next', [...outcome.notes, ...advice]);
  return isAll
    ? reply
    : { ...refused, stdout: reply.stdout, stderr: reply.stderr + refused.stderr };
}

/** The names of the items whose checks passed, the proofs by `proofKey`, and a line for each other item. */
async function runChecks(
  items: Items,
  isChosen: (item: Item, at: number) => boolean,
  checks: CheckRunner,
) {
  const passed: string[] = [];
  const failures: string[] = [];
  const proofs = new Map<string, Proof>();
  for (const [at, item] of items.entries()) {
    if (!isChosen(item, at)) continue;
    const name = itemName(items, at);
    const { check } = item;
    if (check === undefined) {
      failures.push(`item ${name} has no check; without one: TodoWrite --done ${name}`);
      continue;
    }
    const found = await checks.run(check);
    if ('failed' in found) failures.push(failedText(`item ${name} is unproven`, check, found));
    else {
      passed.push(name);
      proofs.set(proofKey(item, check), found);
    }
  }
  return { passed, failures, proofs };
}

function isUnproven(item: Item): boolean {
  return !isOpen(item) && item.check !== undefined && item.proof === undefined;
}
