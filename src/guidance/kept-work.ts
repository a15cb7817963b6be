import { CommandType } from '../base/command/agent-command.ts';
import { noteLines } from '../base/command/replies.ts';
import type { GuidanceSettings } from '../base/settings/settings.ts';
import { pairRenamed } from '../todo/pair-items.ts';
import type { Items } from '../todo/todo-fields.ts';
import type { GuidanceRule, RoutedCommand, TaskWork, Work } from './rule.ts';

/** The record of a session without a process that lives as long. */
export interface KeptWork {
  /** The list after the last line. */
  readonly items: Items;
  /** The list before the last line, if that line wrote the list. */
  readonly itemsBefore: Items | undefined;
  /** The known lines of the session, with the last one. */
  readonly lines: readonly Pick<RoutedCommand, 'line' | 'exitCode'>[];
  /** The lines after the one that wrote the list. */
  readonly commandsSinceWrite: number;
  readonly tasks?: TaskWork;
}

/**
 * The guidance that a `Guide` would give after the last line. How often a reminder was given is found by asking its rule about
 * each earlier line since the list was written.
 */
export function saidAfterLine(
  kept: KeptWork,
  rules: readonly GuidanceRule[],
  { guidance, reminderTurns }: GuidanceSettings,
): string {
  if (guidance === 'off') return '';
  const { items, itemsBefore, lines, commandsSinceWrite, tasks } = kept;
  const pairs = itemsBefore ? pairRenamed(itemsBefore, items) : [];
  const changes = pairs.map((pair) => ({ ...pair, hasBegun: true }));
  const work: Work = {
    items,
    changes,
    commands: lines.map((line) => ({ ...line, type: CommandType.NATIVE_SHELL_COMMAND })),
    commandsSinceWrite,
    tasks,
    reminderTurns,
    hasList: true,
    dropped: [],
    isSubagent: false,
  };
  const said = rules.flatMap((rule) => {
    if (rule.kind === 'note' ? changes.length === 0 : guidance !== 'all') return [];
    if (rule.say(work, 0) === undefined) return [];
    const given = rule.kind === 'note' ? 0 : timesGiven(rule, work);
    return given < (rule.times ?? 1) ? [rule.say(work, given) ?? []].flat() : [];
  });
  return noteLines(said).trimEnd();
}

/** Asks about each line after the one that wrote the list, or the tasks, and before the last. */
function timesGiven({ about, say, times = 1 }: GuidanceRule, work: Work): number {
  const { commandsSinceWrite, tasks } = work;
  const lines = about === 'tasks' ? (tasks?.commandsSinceChange ?? 0) : commandsSinceWrite;
  let given = 0;
  for (let ago = lines - 1; ago > 0 && given < times; ago--) {
    const earlier: Work = {
      ...work,
      commandsSinceWrite: commandsSinceWrite - ago,
      tasks: tasks && { ...tasks, commandsSinceChange: tasks.commandsSinceChange - ago },
    };
    if (say(earlier, given) !== undefined) given += 1;
  }
  return given;
}
