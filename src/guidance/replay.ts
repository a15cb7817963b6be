import { CommandType } from '../command/agent-command.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { Guide, type GuideOptions } from './guide.ts';
import { WRITES_LIST } from './rule.ts';

/** One line that was run, and what became of the list. */
export interface PastLine {
  /** Empty where it is not known. */
  readonly line: string;
  readonly type?: CommandType;
  /** Undefined if nobody knows. */
  readonly exitCode: number | undefined;
  /** The list after it; undefined if nobody saw, or there is none. */
  readonly list?: TodoVersion | undefined;
}

/**
 * Guidance where no process lives as long as the session: a guide goes through everything that happened, and then says
 * what a lasting one would have said. Only what it says about the last line is new.
 */
export class Replay {
  readonly #guide: Guide;
  #list: TodoVersion | undefined;

  constructor(options: Omit<GuideOptions, 'store' | 'shared'>) {
    this.#guide = new Guide({ ...options, store: { get: () => this.#list } });
  }

  /** Goes through a line. Gives the reminders; to find its notes again would take long, for nothing. */
  past({ line, type, exitCode, list }: PastLine): readonly string[] {
    this.#start(line, type, list);
    this.#list = list ?? this.#list;
    return this.#guide.commandEnded(exitCode);
  }

  /** All there is to say of a line. */
  async latest({ line, type, exitCode, list }: PastLine): Promise<readonly string[]> {
    this.#start(line, type, list);
    const notes = await this.#notesOnChange(list ?? this.#list);
    return [...notes, ...this.#guide.commandEnded(exitCode)];
  }

  /** The list as somebody else left it. */
  found(list: TodoVersion): void {
    this.#list = list;
    this.#guide.look('found');
  }

  #start(line: string, type: CommandType | undefined, list: TodoVersion | undefined): void {
    if (list !== undefined && list.version !== this.#list?.version) {
      const isWrittenHere =
        WRITES_LIST.test(line) && (this.#list !== undefined || list.version === 1);
      if (!isWrittenHere) this.found(list);
      else if (this.#list === undefined) this.found({ ...list, version: 0, items: [] });
    }
    this.#guide.commandStarted(line, type ?? CommandType.NATIVE_SHELL_COMMAND);
  }

  /** The guide takes a change of the list for that of a handler. */
  async #notesOnChange(list: TodoVersion | undefined): Promise<string[]> {
    const execute = async () => {
      this.#list = list;
      return { stdout: '', stderr: '', exitCode: 0 };
    };
    const handler = this.#guide.guided({ name: 'TodoWrite', execute });
    const { stderr } = await handler.execute({ argv: [], stdin: async () => '' });
    return stderr.split('\n').filter(Boolean);
  }
}
