import type { AgentBashHandler, CommandResult, CommandType, Invocation } from '../command.ts';
import { safeText } from '../safe-text.ts';
import { DEFAULT_SETTINGS, type GuidanceSettings } from '../settings.ts';
import type { TodoStore } from '../todo/todo-store.ts';
import type { GuidanceRule, Work } from './rule.ts';
import { GUIDANCE_RULES } from './rules.ts';
import { TEXTS } from './texts.ts';
import { WorkHistory } from './work-history.ts';

/** A host's rule may say anything; one line of it is no longer than this. */
const MAX_LINE_CHARACTERS = 300;

/** What a guide is made of. */
export interface GuideOptions {
  /** The list that it watches. It is only ever read. */
  store: Pick<TodoStore, 'get'>;
  /** TODO_GUIDANCE and TODO_REMINDER_TURNS, asked each time that there might be something to say. */
  settings?: () => GuidanceSettings;
  /** The rules, `GUIDANCE_RULES` unless given: to leave one out, or to add one. */
  rules?: readonly GuidanceRule[];
  /** False: no notes, whatever the settings say. */
  notes?: boolean;
  /** False: no reminders, whatever the settings say. */
  reminders?: boolean;
}

/**
 * Watches the list of one session and the lines that its router runs, and says when something is off.
 *
 * It changes nothing: a note is one more line on the stderr of a command that replaced the list, a reminder is for
 * whoever runs the router to show.
 */
export class Guide {
  readonly #options: GuideOptions;
  readonly #rules: readonly GuidanceRule[];
  readonly #history = new WorkHistory();
  /** Each reminder that was given, with the state of the list that it was for. */
  readonly #given = new Set<string>();
  /** Undefined before the first look. */
  #seenVersion: number | undefined;

  constructor(options: GuideOptions) {
    this.#options = options;
    this.#rules = options.rules ?? GUIDANCE_RULES;
  }

  /** The same command, which also says on stderr what is to be noted of a replacement that it makes. */
  guided(handler: AgentBashHandler): AgentBashHandler {
    const { name, readsRawJson = false } = handler;
    return { name, readsRawJson, execute: (invocation) => this.#execute(handler, invocation) };
  }

  /** To be called before a line runs. */
  commandStarted(line: string, type: CommandType): void {
    this.#look();
    this.#history.commandStarted(line, type);
  }

  /** To be called when that line has ended. Gives the reminders that are due, each of some lines. */
  commandEnded(exitCode: number): readonly string[] {
    this.#look();
    this.#history.commandEnded(exitCode);
    const { guidance, reminderTurns } = this.#settings();
    if (this.#options.reminders === false || guidance !== 'all') return [];
    const work = this.#history.work(reminderTurns);
    const state = JSON.stringify(work.items.map(({ content, status }) => [content, status]));
    return this.#rules.flatMap((rule) => {
      const key = `${rule.name} ${state}`;
      const lines = rule.kind === 'reminder' && !this.#given.has(key) ? linesOf(rule, work) : [];
      if (lines.length === 0) return [];
      this.#given.add(key);
      return [lines.join('\n')];
    });
  }

  async #execute(handler: AgentBashHandler, invocation: Invocation): Promise<CommandResult> {
    this.#look();
    const result = await handler.execute(invocation);
    const isReplaced = this.#look();
    const { guidance, reminderTurns } = this.#settings();
    const isSilent = this.#options.notes === false || guidance === 'off';
    if (!isReplaced || isSilent || result.exitCode !== 0) return result;
    const work = this.#history.work(reminderTurns);
    const lines = this.#rules.flatMap((rule) => (rule.kind === 'note' ? linesOf(rule, work) : []));
    return { ...result, stderr: result.stderr + lines.map((line) => `${line}\n`).join('') };
  }

  /**
   * Takes in what became of the list since the last look, and tells whether it was replaced. The list is looked at
   * before and after each call and each line; a listener would have to be ended, and keeps a process alive that
   * only writes one list.
   */
  #look(): boolean {
    try {
      const { version, items } = this.#options.store.get();
      const seen = this.#seenVersion;
      this.#seenVersion = version;
      if (seen === undefined) this.#history.listFound(items);
      else if (seen !== version) this.#history.listWritten(items);
      return seen !== undefined && seen !== version;
    } catch {
      // A list that cannot be read is told of by the command that needs it.
      return false;
    }
  }

  #settings(): GuidanceSettings {
    return this.#options.settings?.() ?? DEFAULT_SETTINGS;
  }
}

/** What a rule says, as lines that are safe to show. One that throws must not fail the command that it speaks of. */
function linesOf({ name, say }: GuidanceRule, work: Work): string[] {
  let said: string | readonly string[];
  try {
    said = say(work) ?? [];
  } catch (error) {
    said = TEXTS.brokenRule(name, error);
  }
  return [said].flat().map((line) => `Note: ${safeText(line, MAX_LINE_CHARACTERS)}`);
}
