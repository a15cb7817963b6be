import {
  type AgentBashHandler,
  type CommandResult,
  type CommandType,
  type Invocation,
  withExecute,
} from '../command/agent-command.ts';
import { safeText } from '../safe-text.ts';
import { DEFAULT_SETTINGS, type GuidanceSettings } from '../settings.ts';
import type { TodoStore, TodoVersion } from '../todo/todo-store.ts';
import { hearUser, unheardChanges } from '../todo/user-changes.ts';
import type { GuidanceRule, Work } from './rule.ts';
import { GUIDANCE_RULES } from './rules.ts';
import type { TaskGuide } from './task-guide.ts';
import { TEXTS } from './texts.ts';
import { WorkHistory } from './work-history.ts';

/** A host's rule may say anything; one line of it is no longer than this. */
const MAX_LINE_CHARACTERS = 300;

/** What a guide is made of. */
export interface GuideOptions {
  /** What holds the list: a TodoStore. Undefined while it is not known which list it is. */
  store: { get(): TodoVersion | undefined };
  /** TODO_GUIDANCE and TODO_REMINDER_TURNS, asked each time that there might be something to say. */
  settings?: () => GuidanceSettings;
  /** What it may say: `GUIDANCE_RULES` unless given; pass them without one of them, or with one of your own. */
  rules?: readonly GuidanceRule[];
  /** Guidance on a team's tasks, whose reminders come with those of this guide. */
  tasks?: Pick<TaskGuide, 'commandEnded'> & Partial<Pick<TaskGuide, 'news'>>;
  /** The list itself, where a person may change it from outside: the agent is told of that, once. */
  shared?: TodoStore;
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
  readonly #history = new WorkHistory(() => this.#settings().reminderTurns);
  /** Each reminder that was given, with the state of the list that it was for. */
  readonly #given = new Set<string>();
  /** Undefined before the first look. */
  #seenVersion: number | undefined;

  constructor(options: GuideOptions) {
    this.#options = options;
  }

  /** The same command, which also says on stderr what is to be noted of a replacement that it makes. */
  guided(handler: AgentBashHandler): AgentBashHandler {
    return withExecute(handler, (invocation) => this.#execute(handler, invocation));
  }

  /** To be called before a line runs. */
  commandStarted(line: string, type: CommandType): void {
    this.look();
    this.#history.commandStarted(line, type);
  }

  /**
   * To be called when that line has ended, with undefined where nobody knows how. Gives the reminders that are due, each
   * of some lines.
   */
  commandEnded(exitCode: number | undefined): readonly string[] {
    this.look();
    this.#history.commandEnded(exitCode);
    const ofTasks = this.#options.tasks?.commandEnded() ?? [];
    if (this.#options.reminders === false) return [];
    const ofList = this.#say('reminder');
    const isChanged = this.#isChangedByUser();
    // The settings are read only where there is something to say, which is seldom.
    if (ofList.length + ofTasks.length === 0 && !isChanged) return [];
    if (this.#settings().guidance !== 'all') return [];
    return [...this.#ofUser(isChanged), ...this.#notYetGiven(ofList), ...ofTasks];
  }

  /** What others did that concerns the agent, each a text; to be called after `commandEnded`. */
  async news(): Promise<readonly string[]> {
    if (this.#options.reminders === false) return [];
    return (await this.#options.tasks?.news?.()) ?? [];
  }

  /**
   * Takes in what became of the list since the last look, and tells whether it was replaced.
   *
   * The guide itself looks before and after each command and each line. It does not listen to the store: to listen to
   * a list in a file keeps a process alive, and one may live only to write it once.
   */
  look(): boolean {
    const seen = this.#seenVersion;
    try {
      const state = this.#options.store.get();
      if (state === undefined || state.version === seen) return false;
      this.#seenVersion = state.version;
      if (seen === undefined) this.#history.listFound(state.items);
      else this.#history.listWritten(state.asWritten ?? state.items);
    } catch {
      // A list that cannot be read is told of by the command that needs it.
      return false;
    }
    return seen !== undefined;
  }

  #isChangedByUser(): boolean {
    const { shared } = this.#options;
    try {
      return shared !== undefined && unheardChanges(shared) !== undefined;
    } catch {
      return false;
    }
  }

  #ofUser(isChanged: boolean): string[] {
    const { shared } = this.#options;
    if (!isChanged || shared === undefined) return [];
    const lines = hearUser(shared).map((line) => `Note: ${line}`);
    return lines.length > 0 ? [lines.join('\n')] : [];
  }

  async #execute(handler: AgentBashHandler, invocation: Invocation): Promise<CommandResult> {
    this.look();
    const result = await handler.execute(invocation);
    const isReplaced = this.look();
    if (!isReplaced || this.#options.notes === false || result.exitCode !== 0) return result;
    const notes = this.#say('note');
    if (notes.length === 0 || this.#settings().guidance === 'off') return result;
    return { ...result, stderr: result.stderr + notes.map(({ text }) => `${text}\n`).join('') };
  }

  /** What the rules of a kind say now. */
  #say(kind: GuidanceRule['kind']): { name: string; text: string }[] {
    const said: { name: string; text: string }[] = [];
    for (const rule of this.#options.rules ?? GUIDANCE_RULES) {
      const lines = rule.kind === kind ? linesOf(rule, this.#history) : [];
      if (lines.length > 0) said.push({ name: rule.name, text: lines.join('\n') });
    }
    return said;
  }

  /** Each reminder is given once for each state of the list. */
  #notYetGiven(reminders: readonly { name: string; text: string }[]): string[] {
    const state = JSON.stringify(
      this.#history.items.map(({ content, status }) => [content, status]),
    );
    return reminders.flatMap(({ name, text }) => {
      const key = `${name} ${state}`;
      if (this.#given.has(key)) return [];
      this.#given.add(key);
      return [text];
    });
  }

  #settings(): GuidanceSettings {
    return this.#options.settings?.() ?? DEFAULT_SETTINGS;
  }
}

/** What a rule says, as lines that are safe to show. One that throws must not fail the command that it speaks of. */
function linesOf({ name, say }: GuidanceRule, work: Work): string[] {
  let said: string | readonly string[] | undefined;
  try {
    said = say(work);
  } catch (error) {
    said = TEXTS.brokenRule(name, error);
  }
  if (said === undefined) return [];
  return [said].flat().map((line) => `Note: ${safeText(line, MAX_LINE_CHARACTERS)}`);
}
