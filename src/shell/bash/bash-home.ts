import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type AgentBashHandler,
  type CommandResult,
  executeSafely,
  type Invocation,
} from '../../base/command/agent-command.ts';
import type { Environment } from '../../base/environment.ts';
import { quote } from '../../base/line/quotes.ts';
import { canReadAndWrite, canRun, DEFAULT_PATH, findBash } from '../../base/system/access.ts';
import { codeOf, orElse } from '../../base/system/files.ts';
import script from './agent-command.sh';
import { type ControlFiles, controlFiles, fixedTexts } from './control-commands.ts';
import {
  aliveIn,
  makePrivate,
  newPrivateName,
  removeFolder,
  shortage,
  sweep,
  Watchdog,
  writePrivate,
} from './private-folder.ts';
import { Slots } from './slots.ts';

export interface HomeOptions {
  /** The environment of the commands, but for PATH. */
  readonly env: Environment;
  /** TMPDIR, as an absolute path. */
  readonly temporary: string;
  /** The agent commands. One that is added later exists from the next line on. */
  readonly handlers?: ReadonlyMap<string, AgentBashHandler>;
  /** Sends errors through the FIFO of the output, which keeps their order. */
  readonly mergeStderr?: boolean;
}

/**
 * The private files of one bash in TMPDIR, and the watchdog that removes them: the files that drive bash, and a folder on its
 * PATH with a small script for each agent command, which passes the call to the handler in this process.
 */
export class BashHome {
  readonly path: string;
  readonly bash: string;
  readonly files: ControlFiles;
  readonly go: number;
  readonly watchdog: Watchdog;
  readonly #options: HomeOptions;
  /** Keeps the folder open, so that no other file gets its inode. */
  readonly #fd: number;
  readonly #own: Stats;
  readonly #slots: Slots;
  readonly #written: string[] = [];
  /** The times of change of the folders when nothing was missing. */
  #wholeSince = '';

  /** Throws an Error that names TMPDIR if programs cannot be put there. */
  static open(options: HomeOptions): BashHome {
    const { temporary } = options;
    try {
      // A colon ends an entry of PATH; bash garbles the two control characters.
      if ([delimiter, '\x01', '\x7f'].some((character) => temporary.includes(character)))
        throw Object.assign(new Error(), { code: 'a colon or control character in its name' });
      sweep(temporary);
      return new BashHome(options);
    } catch (error) {
      if (shortage(error)) throw error;
      throw new Error(
        `programs cannot be installed in ${temporary} (${codeOf(error)}): set TMPDIR to a writable folder with room that allows programs to run`,
      );
    }
  }

  private constructor(options: HomeOptions) {
    const { env, temporary, mergeStderr = false } = options;
    this.#options = options;
    const directory = newPrivateName(temporary);
    this.path = directory;
    this.bash = findBash(env);
    this.files = controlFiles(directory, mergeStderr);
    const { go, status, done, outputs } = this.files;
    const undo: (() => void)[] = [];
    try {
      // The watchdog starts before the folder exists: the host may be killed at any moment.
      this.watchdog = new Watchdog(this.bash, env.PATH ?? '', directory);
      undo.push(() => void this.watchdog.dismiss());
      makePrivate(directory);
      undo.push(() => removeFolder(directory));
      this.#fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
      undo.push(() => closeSync(this.#fd));
      this.#own = fstatSync(this.#fd);
      const fifos = [aliveIn(directory), go, status, done, ...new Set(outputs)];
      const execute = (name: string, call: Invocation) => this.#execute(name, call);
      this.#slots = new Slots(directory, env, execute, fifos);
      undo.push(() => this.#slots.close());
      this.watchdog.begin();
      this.go = openSync(go, constants.O_RDWR | constants.O_NONBLOCK);
      undo.push(() => closeSync(this.go));
      for (const [file, text] of Object.entries(fixedTexts(this.files))) writePrivate(file, text);
      makePrivate(this.files.bin);
      this.writeScripts();
      if (!this.isWhole) throw Object.assign(new Error(), { code: 'EACCES' });
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
  }

  get environment(): Environment {
    const { env } = this.#options;
    const path = [this.files.bin, env.PATH ?? DEFAULT_PATH].filter(Boolean).join(delimiter);
    return { ...env, PATH: path };
  }

  scriptOf(name: string): string {
    return join(this.files.bin, name);
  }

  writeScripts(): void {
    for (const [name, { isReadOnly }] of this.#options.handlers ?? []) {
      if (this.#written.includes(name)) continue;
      const text = COMMAND_SCRIPT.replace('{isChange}', String(isReadOnly === false));
      writePrivate(this.scriptOf(name), firstLinesFor(this.bash) + text, 0o700);
      this.#written.push(name);
      this.#wholeSince = '';
    }
  }

  /**
   * False if a file is missing or the scripts cannot be run: after `rm -rf /tmp/*`, or on a file system mounted noexec. Asked
   * before each line, so the files are examined only if a folder has changed.
   */
  get isWhole(): boolean {
    const [folder, bin] = [this.#folder, orElse(() => lstatSync(this.files.bin), undefined)];
    if (!folder || !bin) return false;
    const changed = `${folder.ctimeMs} ${bin.ctimeMs}`;
    if (changed === this.#wholeSince) return true;
    const { go, status, done } = this.files;
    const isWhole =
      this.#slots.isWhole &&
      [this.path, go, status, done].every(canReadAndWrite) &&
      this.#written.every((name) => canRun(this.scriptOf(name)));
    if (isWhole) this.#wholeSince = changed;
    return isWhole;
  }

  /** Removes all files. Bash must have ended. Waiting callers report that their agent shell has ended. */
  async dispose(): Promise<void> {
    this.#slots.close();
    closeSync(this.go);
    const isThere = this.#folder !== undefined;
    // Before the removal, which needs a descriptor: there may be no other.
    closeSync(this.#fd);
    // A line may have made it impossible to remove, with a mount or chattr +i.
    if (isThere) orElse(() => removeFolder(this.path), undefined);
    await this.watchdog.dismiss();
  }

  /** Returns undefined if the folder was removed, moved, mounted over or made unreadable. */
  get #folder(): Stats | undefined {
    const now = orElse(() => lstatSync(this.path), undefined);
    return now?.ino === this.#own.ino && now.dev === this.#own.dev ? now : undefined;
  }

  async #execute(name: string, invocation: Invocation): Promise<CommandResult> {
    const handler = this.#options.handlers?.get(name);
    return handler
      ? executeSafely(handler, invocation)
      : { stdout: '', stderr: `${name}: not an agent command\n`, exitCode: 127 };
  }
}

/** Bash reads it for each call, and comments take a twentieth of the call's time. */
const COMMAND_SCRIPT = script.replace(/^ *#.*\n/gm, '');

/** The first lines of a script for this bash. The kernel ends the path of a `#!` line at a blank. */
function firstLinesFor(bash: string): string {
  if (!/\s/.test(bash)) return `#!${bash} -p\n`;
  const file = quote(bash);
  return `#!/bin/sh\n[ "\${BASH-}" = ${file} ] || exec ${file} -p "$0" "$@"\n`;
}
