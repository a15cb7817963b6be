import type { AgentBashHandler, CommandResult, CommandType, Invocation } from '../command.ts';
import { safeText } from '../safe-text.ts';
import { DEFAULT_SETTINGS, type GuidanceSettings } from '../settings.ts';
import type { TodoStore } from '../todo/todo-store.ts';
import type { GuidanceRule, Items, Work } from './rule.ts';
import { GUIDANCE_RULES } from './rules.ts';
import { TEXTS } from './texts.ts';
import { WorkHistory } from './work-history.ts';

/** A host's rule may say anything; one line of it is no longer than this. */
const MAX_LINE_CHARACTERS = 300;

/** What a guide is made of. */
export interface GuideOptions {
  /** The list that it watches. */
  store: Pick<TodoStore, 'get' | 'onChange'>;
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
  readonly #stopListening: () => void;
  /** Each reminder that was given, with the state of the list that it was for. */
  readonly #given = new Set<string>();
  #hasBegun = false;
  #runningCalls = 0;
  /** What is to be noted of the replacements that the running calls have made. */
  #notes: string[] = [];

  constructor(options: GuideOptions) {
    this.#options = options;
    this.#rules = options.rules ?? GUIDANCE_RULES;
    this.#stopListening = options.store.onChange(({ items }) => this.#listWritten(items));
  }

  /** The same command, which also says on stderr what is to be noted of a replacement that it makes. */
  guided(handler: AgentBashHandler): AgentBashHandler {
    const { name, readsRawJson = false } = handler;
    return { name, readsRawJson, execute: (invocation) => this.#execute(handler, invocation) };
  }

  /** To be called before a line runs. */
  commandStarted(line: string, type: CommandType): void {
    this.#begin();
    this.#history.commandStarted(line, type);
  }

  /** To be called when that line has ended. Gives the reminders that are due, each of some lines. */
  commandEnded(exitCode: number): readonly string[] {
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

  /** Lets go of the store. */
  dispose(): void {
    this.#stopListening();
  }

  async #execute(handler: AgentBashHandler, invocation: Invocation): Promise<CommandResult> {
    this.#begin();
    this.#runningCalls += 1;
    try {
      const result = await handler.execute(invocation);
      const notes = this.#notes.splice(0);
      if (result.exitCode !== 0 || notes.length === 0) return result;
      return { ...result, stderr: `${result.stderr}${notes.join('\n')}\n` };
    } finally {
      this.#runningCalls -= 1;
    }
  }

  /** Looks at the list that was there before anything happened. */
  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    try {
      this.#history.listFound(this.#options.store.get().items);
    } catch {
      // A store that cannot be read says so itself, to the command that needs it.
    }
  }

  #listWritten(items: Items): void {
    this.#hasBegun = true;
    this.#history.listWritten(items);
    const { guidance, reminderTurns } = this.#settings();
    const isSilent = this.#options.notes === false || guidance === 'off';
    // A list that the host replaces is nobody's mistake.
    if (isSilent || this.#runningCalls === 0) return;
    const work = this.#history.work(reminderTurns);
    for (const rule of this.#rules) {
      if (rule.kind === 'note') this.#notes.push(...linesOf(rule, work));
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
