import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type AgentBashHandler,
  type CommandResult,
  executeSafely,
  type Invocation,
} from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import { quote } from '../line/quote.ts';
import script from './agent-command.sh';
import { canRun, DEFAULT_PATH } from './find-program.ts';
import { makePrivate } from './private-folder.ts';
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
  readonly #written: string[] = [];

  constructor(options: AgentCommandHostOptions) {
    this.#options = options;
    const { directory, env } = options;
    this.#slots = new Slots({
      directory,
      env,
      execute: (name, invocation) => this.#execute(name, invocation),
    });
    try {
      makePrivate(join(directory, 'bin'));
      this.writeScripts();
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** A FIFO whose readers learn when this process is gone. */
  get alive(): string {
    return this.#slots.alive;
  }

  /** `env` with the agent commands first on its PATH. */
  environment(env: Environment): Record<string, string | undefined> {
    const path = [join(this.#options.directory, 'bin'), env.PATH ?? DEFAULT_PATH]
      .filter(Boolean)
      .join(delimiter);
    return { ...env, PATH: path };
  }

  /** Writes the scripts of newly registered commands. */
  writeScripts(): void {
    const { directory, bash, handlers } = this.#options;
    const bin = join(directory, 'bin');
    for (const name of handlers.keys()) {
      if (!this.#written.includes(name)) {
        writeFileSync(join(bin, name), startOf(bash) + script);
        chmodSync(join(bin, name), 0o700);
        this.#written.push(name);
      }
    }
  }

  /**
   * Whether everything that callers need is still there, and can be run: an `rm -rf /tmp/*` may have removed it, or the file
   * system forbids it by now.
   */
  get isWhole(): boolean {
    const isThere = (name: string) => canRun(join(this.#options.directory, 'bin', name));
    return this.#slots.isWhole && this.#written.every(isThere);
  }

  /** From now on callers go to another host; those that are here still get their replies. */
  retire(): void {
    this.#slots.retire();
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
