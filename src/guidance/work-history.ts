import type { CommandType } from '../command/agent-command.ts';
import { type ItemPair, pairRenamed } from '../todo/pair-items.ts';
import type { Items } from '../todo/todo-fields.ts';
import type { ItemChange, RoutedCommand, TaskWork, Work } from './rule.ts';

const MAX_COMMANDS = 500;
/** Longer lines are cut to one character more than this; rules treat them as unreadable. */
export const MAX_LINE_LENGTH = 20_000;

/** When the work on an item began. */
interface Track {
  readonly hasBegun: boolean;
  /** The number of the first line that may have been work on it; undefined if that was before anything was seen. */
  readonly since: number | undefined;
}

/** What happened to the list and which lines ran, as rules need it. Knows nothing of stores, shells and rules. */
export class WorkHistory implements Work {
  readonly tasks: TaskWork | undefined;
  readonly #reminderTurns: () => number;
  readonly #isSubagent: () => boolean;
  items: Items = [];
  changes: readonly ItemChange[] = [];
  dropped: Items = [];
  readonly commands: RoutedCommand[] = [];
  commandsSinceWrite = 0;
  hasList = false;
  /** Of the items that are on the list. */
  #tracks = new Map<Items[number], Track>();
  /** Lines are numbered from 1. */
  #lastNumber = 0;
  #writtenAt = 0;
  #isRunning = false;
  #wroteInCommand = false;

  /** @param asked What is looked up only if a rule asks for it: a setting, and whose list it is; and the team's tasks. */
  constructor(asked: {
    reminderTurns: () => number;
    isSubagent: () => boolean;
    tasks: TaskWork | undefined;
  }) {
    this.tasks = asked.tasks;
    this.#reminderTurns = asked.reminderTurns;
    this.#isSubagent = asked.isSubagent;
  }

  /** The list at the start, or as somebody else left it: we did not see how the work on it was done. */
  listFound(items: Items): void {
    this.hasList = items.length > 0;
    this.commandsSinceWrite = 0;
    this.items = items;
    this.#tracks = new Map(
      items.map((item) => [item, { hasBegun: item.status !== 'pending', since: undefined }]),
    );
  }

  /** The list was replaced. @param dropped what was left out on purpose. */
  listWritten(items: Items, dropped: Items = []): void {
    this.hasList = true;
    this.dropped = dropped;
    const tracks = new Map<Items[number], Track>();
    const until = this.#lastNumber;
    const commandsSince = (since: number | undefined) => this.#commandsBetween(since, until);
    this.changes = pairRenamed(this.items, items).map((pair) => {
      const change = new FollowedChange(pair, this.#trackOf(pair), commandsSince);
      if (pair.after) tracks.set(pair.after, change);
      return change;
    });
    this.items = items;
    this.#tracks = tracks;
    this.#writtenAt = this.#lastNumber;
    this.commandsSinceWrite = 0;
    this.#wroteInCommand = this.#isRunning;
  }

  commandStarted(line: string, type: CommandType): void {
    this.#lastNumber += 1;
    this.#isRunning = true;
    this.#wroteInCommand = false;
    const kept = line.slice(0, MAX_LINE_LENGTH + 1);
    this.commands.push({ line: kept, type, exitCode: undefined });
    if (this.commands.length > MAX_COMMANDS) this.commands.shift();
  }

  commandEnded(exitCode: number | undefined): void {
    const command = this.commands.pop();
    if (command) this.commands.push({ ...command, exitCode });
    this.#isRunning = false;
    this.commandsSinceWrite = this.#wroteInCommand ? 0 : this.commandsSinceWrite + 1;
  }

  get isSubagent(): boolean {
    return this.#isSubagent();
  }

  get reminderTurns(): number {
    return this.#reminderTurns();
  }

  #trackOf({ before, after }: ItemPair): Track {
    const known = before && this.#tracks.get(before);
    if (known?.hasBegun) return known;
    const begins = after?.status === 'in_progress';
    return known && !begins ? known : { hasBegun: begins, since: this.#writtenAt };
  }

  /** Undefined if no line was seen at all, as outside of a session, or if these began too long ago. */
  #commandsBetween(first: number | undefined, last: number): readonly RoutedCommand[] | undefined {
    const firstKept = this.#lastNumber - this.commands.length + 1;
    const isSeen = first !== undefined && last > 0;
    if (!isSeen || Math.max(1, first) < firstKept) return undefined;
    return this.commands.slice(Math.max(0, first - firstKept), last - firstKept + 1);
  }
}

/** Few rules look at the lines of an item, and there may be many: they are collected only when needed. */
class FollowedChange implements ItemChange, Track {
  readonly before: ItemChange['before'];
  readonly after: ItemChange['after'];
  readonly hasBegun: boolean;
  readonly since: number | undefined;
  readonly #commandsSince: (since: number | undefined) => ItemChange['commands'];

  constructor(
    { before, after }: ItemPair,
    { hasBegun, since }: Track,
    commandsSince: (since: number | undefined) => ItemChange['commands'],
  ) {
    this.before = before;
    this.after = after;
    this.hasBegun = hasBegun;
    this.since = since;
    this.#commandsSince = commandsSince;
  }

  get commands(): ItemChange['commands'] {
    return this.#commandsSince(this.since);
  }
}
