import {
  type AgentBashHandler,
  type CommandResult,
  type CommandType,
  done,
  type Invocation,
  withExecute,
} from '../base/command/agent-command.ts';
import { noteLines } from '../base/command/replies.ts';
import { DEFAULT_SETTINGS, type GuidanceSettings } from '../base/settings/settings.ts';
import type { TodoList } from '../todo/todo-store.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { takeUserChanges } from '../todo/user-changes.ts';
import type { FollowedTasks } from './followed-tasks.ts';
import { Reminders, saidBy } from './reminders.ts';
import { GUIDANCE_RULES, type GuidanceRule } from './rules.ts';
import { WorkHistory } from './work.ts';

/** A line waits so long for news from a server; later news are given after the next line. */
const LONGEST_WAIT_MS = 300;

/** Options of a guide. */
export interface GuideOptions {
  /** The store of the list, such as a TodoStore. `get` returns undefined while it is unknown which list is meant. */
  store?: { get(): TodoVersion | undefined };
  /** TODO_GUIDANCE and TODO_REMINDER_TURNS. Called only if there may be something to say. */
  settings?: (call?: Invocation) => GuidanceSettings;
  /** Some of `GUIDANCE_RULES`, or your own; default: `GUIDANCE_RULES`. */
  rules?: readonly GuidanceRule[];
  /** The team's tasks, for guidance on them and news of them. */
  tasks?: FollowedTasks;
  /** The list, if a person may change it: the agent is told about such changes, once. */
  shared?: TodoList;
  /** True for a subagent's list; false unless given. */
  isSubagent?: () => boolean | Promise<boolean>;
  /** False: no notes, whatever the settings say. */
  notes?: boolean;
  /** False: no reminders, whatever the settings say. */
  reminders?: boolean;
}

/**
 * Watches the lists of one session and the lines that its router runs, and gives advice: notes on the stderr of a command that
 * changed a list, and reminders for the router's host to show. It changes nothing.
 */
export class Guide {
  readonly #options: GuideOptions;
  readonly #noteRules: readonly GuidanceRule[];
  readonly #history: WorkHistory;
  readonly #reminders: Reminders;
  /** Undefined before the first look. */
  #seenVersion: number | undefined;
  #news: Promise<readonly string[]> | undefined;
  /** The version of the shared list up to which the agent knows all changes. */
  #readVersion = 0;

  constructor(options: GuideOptions = {}) {
    this.#options = options;
    const rules = options.rules ?? GUIDANCE_RULES;
    this.#noteRules = rules.filter(({ kind }) => kind === 'note');
    this.#reminders = new Reminders(rules);
    this.#history = new WorkHistory({
      reminderTurns: () => this.#settings().reminderTurns,
      tasks: options.tasks,
    });
  }

  /**
   * Wraps a command to add notes about its changes to stderr.
   *
   * @param complete adds to each call what the caller leaves out.
   */
  guided(
    handler: AgentBashHandler,
    complete: (call: Invocation) => Invocation = (call) => call,
  ): AgentBashHandler {
    return withExecute(handler, (call) => this.#execute(handler, complete(call)));
  }

  /** Call this before a line runs. */
  commandStarted(line: string, type: CommandType): void {
    this.look();
    this.#history.commandStarted(line, type);
  }

  /**
   * Call this when the line has ended. Returns the reminders that are due, each of one or more lines.
   *
   * @param exitCode undefined if unknown.
   */
  commandEnded(exitCode: number | undefined): readonly string[] {
    this.look();
    this.#history.commandEnded(exitCode);
    this.#options.tasks?.commandEnded();
    if (this.#options.reminders === false) return [];
    return this.#reminders.due(this.#history, () => this.#settings().guidance === 'all');
  }

  /** The agent's unread notices. Returns undefined if there are none. Call it after `commandEnded`. */
  news(): Promise<readonly string[]> | undefined {
    if (this.#options.reminders === false) return undefined;
    const changed = this.#changedByOthers();
    return changed || this.#options.tasks || this.#news ? this.#newsSoon(changed) : undefined;
  }

  async #newsSoon(changed: TodoList | undefined): Promise<readonly string[]> {
    this.#news ??= (async () => [
      ...(changed === undefined ? [] : await this.#ofUser(changed)),
      ...asText((await this.#options.tasks?.news()) ?? []),
    ])();
    const told = await soon(this.#news);
    if (told !== undefined) this.#news = undefined;
    return told ?? [];
  }

  /**
   * Takes note of changes of the list since the last look. Returns true if it was replaced. The guide looks before and after
   * each command and line: a listener on a list in a file would keep the process alive.
   */
  look(): boolean {
    const seen = this.#seenVersion;
    try {
      const state = this.#options.store?.get();
      if (state === undefined || state.version === seen) return false;
      this.#seenVersion = state.version;
      if (seen === undefined) this.#history.listFound(state.items);
      else this.#history.listWritten(state.asWritten ?? state.items, state.dropped);
    } catch {
      // The command that needs the list reports that it cannot be read.
      return false;
    }
    return seen !== undefined;
  }

  /** The shared list. Returns undefined unless its version is by somebody else and unknown to the agent. */
  #changedByOthers(): TodoList | undefined {
    const list = this.#options.shared;
    try {
      if (list === undefined) return undefined;
      const { by, version } = list.get();
      const isRead = by === list.author || version === this.#readVersion;
      return isRead || this.#settings().guidance !== 'all' ? undefined : list;
    } catch {
      // The next command that needs the list reports what is wrong with it.
      return undefined;
    }
  }

  async #ofUser(list: TodoList): Promise<readonly string[]> {
    const { version } = list.seen;
    try {
      const lines = await takeUserChanges(list);
      this.#readVersion = version;
      return asText(lines);
    } catch {
      return [];
    }
  }

  async #execute(handler: AgentBashHandler, invocation: Invocation): Promise<CommandResult> {
    this.look();
    const result = await handler.execute(invocation);
    const isChanged = this.look();
    if (!isChanged || this.#options.notes === false || result.exitCode !== 0) return result;
    const isSubagent = this.#options.isSubagent?.() ?? false;
    this.#history.isSubagent = isSubagent instanceof Promise ? await isSubagent : isSubagent;
    const notes: string[] = [];
    for (const rule of this.#noteRules) notes.push(...saidBy(rule, this.#history));
    if (notes.length === 0 || this.#settings(invocation).guidance === 'off') return result;
    return done(result.stdout, result.stderr + noteLines(notes));
  }

  #settings(call?: Invocation): GuidanceSettings {
    return this.#options.settings?.(call) ?? DEFAULT_SETTINGS;
  }
}

function asText(lines: readonly string[]): string[] {
  return lines.length > 0 ? [noteLines(lines).trimEnd()] : [];
}

/** Returns undefined if the value takes too long. */
async function soon<T>(coming: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, LONGEST_WAIT_MS, undefined);
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
  }
}
