import { closeSync, constants, openSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import {
  type AgentBashHandler,
  type CommandResult,
  executeSafely,
  type Invocation,
} from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import { quote } from '../line/quotes.ts';
import { codeOf, shortage } from '../system/files.ts';
import { canReadAndWrite, canRun, DEFAULT_PATH, findBash } from '../system/find-program.ts';
import script from './agent-command.sh';
import { makeFifos } from './fifos.ts';
import {
  aliveIn,
  leadsTo,
  makePrivate,
  newPrivateName,
  removeFolder,
  sweep,
  Watchdog,
  writePrivate,
} from './private-folder.ts';
import { Slots } from './slots.ts';

/** What a home is made for. */
export interface HomeOptions {
  readonly env: Environment;
  /** What a relative TMPDIR is relative to. */
  readonly cwd: string;
  readonly handlers?: ReadonlyMap<string, AgentBashHandler>;
}

/**
 * The private files of a session in TMPDIR, and the watchdog that removes them.
 *
 * By them agent commands exist inside bash: a folder on its PATH has one small bash script for each command, which passes its
 * arguments and standard input to the handler in this process.
 */
export class SessionHome {
  readonly path: string;
  /** The absolute path of bash. */
  readonly bash: string;
  /** The FIFO that lets bash go on. */
  readonly go: { readonly path: string; readonly fd: number };
  readonly watchdog: Watchdog;
  readonly #options: HomeOptions;
  /** Keeps the folder open, so that nobody can replace it unnoticed. */
  readonly #fd: number;
  readonly #slots: Slots;
  readonly #bin: string;
  readonly #written: string[] = [];
  /** When we last changed the folder of the scripts. */
  #changed = 0;

  /** @throws an Error that names TMPDIR if programs cannot be put there. */
  static open(options: HomeOptions): SessionHome {
    const temporary = resolve(options.cwd, options.env.TMPDIR || '/tmp');
    try {
      // PATH cannot lead there, or bash cannot read such a name.
      if ([delimiter, '\x01', '\x7f'].some((character) => temporary.includes(character)))
        throw Object.assign(new Error(), { code: 'a colon or control character in its name' });
      sweep(temporary);
      return new SessionHome(temporary, options);
    } catch (error) {
      if (shortage(error)) throw error;
      throw new Error(
        `no program can be put into ${temporary} (${codeOf(error)}): set TMPDIR to a folder with room in which you may write and run programs`,
      );
    }
  }

  private constructor(parent: string, options: HomeOptions) {
    const { env } = options;
    this.#options = options;
    const directory = newPrivateName(parent);
    this.path = directory;
    this.#bin = join(directory, 'bin');
    this.bash = findBash(env);
    const undo: (() => void)[] = [];
    try {
      // The watchdog comes before what it guards: a host may be killed at any moment.
      this.watchdog = new Watchdog(this.bash, env.PATH ?? '', directory);
      undo.push(() => void this.watchdog.dismiss());
      makePrivate(directory);
      undo.push(() => removeFolder(directory));
      const folder = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
      undo.push(() => closeSync(folder));
      this.#fd = folder;
      const go = join(directory, 'go');
      makeFifos([aliveIn(directory), go], env);
      this.watchdog.begin();
      const fd = openSync(go, constants.O_RDWR | constants.O_NONBLOCK);
      undo.push(() => closeSync(fd));
      this.go = { path: go, fd };
      this.#slots = new Slots(directory, env, (name, invocation) =>
        this.#execute(name, invocation),
      );
      undo.push(() => this.#slots.close());
      makePrivate(this.#bin);
      this.writeScripts();
      if (!this.isWhole) throw Object.assign(new Error(), { code: 'EACCES' });
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
  }

  /** The environment of bash, with the agent commands first on its PATH. */
  get environment(): Environment {
    const { env } = this.#options;
    const path = [this.#bin, env.PATH ?? DEFAULT_PATH].filter(Boolean).join(delimiter);
    return { ...env, PATH: path };
  }

  /** Writes the scripts of newly registered commands. */
  writeScripts(): void {
    for (const name of this.#options.handlers?.keys() ?? []) {
      if (this.#written.includes(name)) continue;
      writePrivate(join(this.#bin, name), startOf(this.bash) + script, 0o700);
      this.#written.push(name);
      this.#changed = statSync(this.#bin).mtimeMs;
    }
  }

  /**
   * Whether everything is still there, and the scripts can be run: an `rm -rf /tmp/*` may have removed it, or the file system
   * forbids it by now.
   */
  get isWhole(): boolean {
    if (!leadsTo(this.path, this.#fd) || !this.#slots.isWhole) return false;
    if (![this.path, this.go.path].every(canReadAndWrite)) return false;
    const [name] = this.#written;
    // Not each command: it is asked before each line.
    return (
      name === undefined ||
      (canRun(join(this.#bin, name)) && statSync(this.#bin).mtimeMs === this.#changed)
    );
  }

  /** Removes all of it. Bash must have ended. Waiting callers say that their agent shell is gone. */
  async dispose(): Promise<void> {
    this.#slots.close();
    closeSync(this.go.fd);
    const isThere = leadsTo(this.path, this.#fd);
    // This may be the last descriptor, and the removal needs one.
    closeSync(this.#fd);
    try {
      if (isThere) removeFolder(this.path);
    } catch {
      // Whatever a line made of it that cannot be removed stays; nothing of ours runs there any more.
    }
    await this.watchdog.dismiss();
  }

  async #execute(name: string, invocation: Invocation): Promise<CommandResult> {
    const handler = this.#options.handlers?.get(name);
    return handler
      ? executeSafely(handler, invocation)
      : { stdout: '', stderr: `${name}: not an agent command\n`, exitCode: 127 };
  }
}

/** The first lines of a script for this bash. In the first one, the system takes a blank for the end of the path. */
function startOf(bash: string): string {
  if (!/\s/.test(bash)) return `#!${bash} -p\n`;
  const file = quote(bash);
  return `#!/bin/sh\n[ "\${BASH-}" = ${file} ] || exec ${file} -p "$0" "$@"\n`;
}
