import { CommandType } from '../base/command/agent-command.ts';
import { noteLines } from '../base/command/replies.ts';
import { safeText } from '../base/safe-text.ts';
import type { GuidanceSettings } from '../base/settings/settings.ts';
import { pairRenamed } from '../todo/pair-items.ts';
import type { Items } from '../todo/todo-fields.ts';
import type { GuidanceRule } from './rules.ts';
import { TEXTS } from './texts.ts';
import type { RoutedCommand, TaskWork, Work } from './work.ts';

/** For the lines of a host's rules. */
const MAX_RULE_CHARACTERS = 300;

/** The lines of a rule, safe to show. Never throws, even if the rule does. */
export function saidBy({ name, say }: GuidanceRule, work: Work, given = 0): string[] {
  let said: string | readonly string[] | undefined;
  try {
    said = say(work, given);
  } catch (error) {
    said = TEXTS.brokenRule(name, error);
  }
  const lines = typeof said === 'string' ? [said] : said;
  // A rule in JavaScript may return null.
  return lines?.map((line) => safeText(line, MAX_RULE_CHARACTERS)) ?? [];
}

/** Gives the reminders of a session, and counts them. */
export class Reminders {
  readonly #rules: readonly GuidanceRule[];
  /** How often each was given, by its name and the state that it is about. */
  readonly #given = new Map<string, number>();

  /** @param rules of both kinds. */
  constructor(rules: readonly GuidanceRule[]) {
    this.#rules = rules.filter(({ kind }) => kind === 'reminder');
  }

  /** The reminders that are due after a line, each of one or more lines. @param isWanted asked only if there are some. */
  due(work: Work, isWanted = () => true): string[] {
    const due: { rule: GuidanceRule; given: number; text: string }[] = [];
    for (const rule of this.#rules) {
      // The key takes time, and few sessions get a reminder.
      const given = this.#given.size === 0 ? 0 : (this.#given.get(stateKey(rule, work)) ?? 0);
      const lines = given < (rule.times ?? 1) ? saidBy(rule, work, given) : [];
      if (lines.length > 0) due.push({ rule, given, text: noteLines(lines).trimEnd() });
    }
    if (due.length === 0 || !isWanted()) return [];
    for (const { rule, given } of due) this.#given.set(stateKey(rule, work), given + 1);
    return due.map(({ text }) => text);
  }
}

const statesOfLists = new WeakMap<Items, string>();

function stateKey({ name, about }: GuidanceRule, { items, tasks }: Work): string {
  if (about === 'tasks') return `${name} ${JSON.stringify(tasks?.mine)}`;
  const state =
    statesOfLists.get(items) ??
    JSON.stringify(items.map(({ content, status }) => [content, status]));
  statesOfLists.set(items, state);
  return `${name} ${state}`;
}

/** The record of a session without a process that lives as long. */
export interface KeptWork {
  /** The list after the last line. */
  readonly items: Items;
  /** The list before the last line, if that line wrote the list. */
  readonly itemsBefore: Items | undefined;
  /** The known lines of the session, with the last one. */
  readonly lines: readonly Pick<RoutedCommand, 'line' | 'exitCode'>[];
  /** How many lines have run since one wrote the list. */
  readonly commandsSinceWrite: number;
  readonly tasks?: TaskWork;
}

/** The guidance that a `Guide` would give after the last line: lets it count the reminders since the last change again. */
export function saidAfterLine(
  { items, itemsBefore, lines, commandsSinceWrite, tasks }: KeptWork,
  rules: readonly GuidanceRule[],
  { guidance, reminderTurns }: GuidanceSettings,
): string {
  if (guidance === 'off') return '';
  const pairs = itemsBefore ? pairRenamed(itemsBefore, items) : [];
  const commands = lines.map((line) => ({ ...line, type: CommandType.NATIVE_SHELL_COMMAND }));
  const workAt = (linesAgo: number): Work => ({
    items,
    changes: pairs.map((pair) => ({ ...pair, hasBegun: true })),
    commands,
    hasFailed: commands.some(({ exitCode }) => exitCode),
    commandsSinceWrite: commandsSinceWrite - linesAgo,
    tasks: tasks && { ...tasks, commandsSinceChange: tasks.commandsSinceChange - linesAgo },
    reminderTurns,
    hasList: true,
    dropped: [],
    isSubagent: false,
  });
  const now = workAt(0);
  const notes = rules.filter(({ kind }) => kind === 'note');
  const said = noteLines(notes.flatMap((rule) => saidBy(rule, now))).trimEnd();
  const speaking = rules.filter((rule) => rule.kind === 'reminder' && saidBy(rule, now).length > 0);
  // Nothing need be counted after most lines.
  if (guidance !== 'all' || speaking.length === 0) return said;
  const reminders = new Reminders(speaking);
  let due: string[] = [];
  const replayed = Math.max(commandsSinceWrite, tasks?.commandsSinceChange ?? 0);
  for (let linesAgo = replayed; linesAgo >= 0; linesAgo--) due = reminders.due(workAt(linesAgo));
  return [said, ...due].filter(Boolean).join('\n');
}
