import { statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type AgentBashHandler,
  type CommandResult,
  executeSafely,
  type Invocation,
} from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import { quote } from '../line/quotes.ts';
import { canRun, DEFAULT_PATH } from '../system/find-program.ts';
import script from './agent-command.sh';
import { makePrivate, writePrivate } from './private-folder.ts';
import { Slots } from './slots.ts';

export interface AgentCommandHostOptions {
  /** A directory that only this user can enter. */
  directory: string;
  /** The bash that runs the commands' scripts. */
  bash: string;
  /** Where to look for mkfifo(1) besides the system's folders. */
  env: Environment;
  handlers: ReadonlyMap<string, AgentBashHandler>;
}

/**
 * Makes agent commands exist inside a bash: a directory on its PATH has one small bash script for each command, which
 * passes its arguments and standard input to the handler in this process.
 */
export class AgentCommandHost {
  readonly #options: AgentCommandHostOptions;
  readonly #slots: Slots;
  readonly #bin: string;
  readonly #written: string[] = [];
  /** When we last changed the folder of the scripts. */
  #changed = 0;

  constructor(options: AgentCommandHostOptions) {
    this.#options = options;
    const { directory, env } = options;
    this.#bin = join(directory, 'bin');
    this.#slots = new Slots({
      directory,
      env,
      execute: (name, invocation) => this.#execute(name, invocation),
    });
    try {
      makePrivate(this.#bin);
      this.writeScripts();
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** `env` with the agent commands first on its PATH. */
  environment(env: Environment): Record<string, string | undefined> {
    const path = [this.#bin, env.PATH ?? DEFAULT_PATH].filter(Boolean).join(delimiter);
    return { ...env, PATH: path };
  }

  /** Writes the scripts of newly registered commands. */
  writeScripts(): void {
    const { bash, handlers } = this.#options;
    for (const name of handlers.keys()) {
      if (!this.#written.includes(name)) {
        writePrivate(join(this.#bin, name), startOf(bash) + script, 0o700);
        this.#written.push(name);
        this.#changed = statSync(this.#bin).mtimeMs;
      }
    }
  }

  /**
   * Whether everything that callers need is still there, and can be run: an `rm -rf /tmp/*` may have removed it, or the file
   * system forbids it by now.
   */
  get isWhole(): boolean {
    const [name] = this.#written;
    if (name === undefined) return this.#slots.isWhole;
    // Not each command: it is asked before each line.
    const isThere = canRun(join(this.#bin, name));
    return isThere && statSync(this.#bin).mtimeMs === this.#changed && this.#slots.isWhole;
  }

  /** Waiting callers say that their agent shell is gone. */
  dispose(): void {
    this.#slots.close();
  }

  async #execute(name: string, invocation: Invocation): Promise<CommandResult> {
    const handler = this.#options.handlers.get(name);
    if (!handler) {
      return { stdout: '', stderr: `${name}: not an agent command\n`, exitCode: 127 };
    }
    return executeSafely(handler, invocation);
  }
}

/** The first lines of a script for this bash. In the first one, the system takes a blank for the end of the path. */
function startOf(bash: string): string {
  if (!/\s/.test(bash)) return `#!${bash} -p\n`;
  const file = quote(bash);
  return `#!/bin/sh\n[ "\${BASH-}" = ${file} ] || exec ${file} -p "$0" "$@"\n`;
}
