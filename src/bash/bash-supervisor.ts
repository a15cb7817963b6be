import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { AgentBashHandler } from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import { codeOf, shortage } from '../system/files.ts';
import { findBash } from '../system/find-program.ts';
import { AgentCommandHost } from './agent-commands.ts';
import { BashProcess } from './bash-process.ts';
import { canReadAndWrite, makeFifos } from './fifos.ts';
import {
  aliveIn,
  leadsTo,
  makePrivate,
  newPrivateName,
  removeFolder,
  sweep,
  Watchdog,
} from './private-folder.ts';
import type { SessionOutput } from './session-output.ts';

interface SupervisorOptions {
  readonly env: Environment;
  /** Where bash starts, and what a relative TMPDIR is relative to. */
  readonly cwd: string;
  readonly handlers?: ReadonlyMap<string, AgentBashHandler>;
  readonly mergeStderr?: boolean;
}

/** Keeps one bash for a session, with its private files: starts it, and starts it again where the last one was. */
export class BashSupervisor {
  readonly #options: SupervisorOptions;
  readonly #output: SessionOutput;
  #home: SessionHome | undefined;
  #process: BashProcess | undefined;
  #processCount = 0;

  /** The directory of bash, as it last told it: the next bash starts there. */
  cwd: string;

  constructor(options: SupervisorOptions, output: SessionOutput) {
    this.#options = options;
    this.#output = output;
    this.cwd = resolve(options.cwd);
  }

  /** The current bash, which may have ended by itself; undefined before the first one, and after `end()`. */
  get process(): BashProcess | undefined {
    return this.#process;
  }

  /** Where its private files are; undefined before the first line. */
  get home(): SessionHome | undefined {
    return this.#home;
  }

  /**
   * Gives up what is no longer whole. Returns what has happened to the bash of the lines before; undefined if it lives, or if
   * it was known that the next line gets another.
   */
  async check(): Promise<string | undefined> {
    const [home, bash] = [this.#home, this.#process];
    const isWhole = home?.isWhole ?? true;
    let loss: string | undefined;
    if (bash?.end) loss = `bash had ended (${bash.end.how})`;
    else if (bash && !(isWhole && bash.isWhole)) loss = `bash had lost its files in ${home?.path}`;
    if (loss) await this.end();
    if (!isWhole) await this.#dropHome();
    return loss;
  }

  /**
   * A bash, new if there was none, and the scripts of all agent commands.
   *
   * @throws an Error if it cannot be started.
   */
  start(): BashProcess {
    this.#home ??= openHome(this.#options);
    const { bash, path, host, go } = this.#home;
    host.writeScripts();
    if (this.#process) return this.#process;
    this.cwd = nearestDirectory(this.cwd);
    this.#processCount += 1;
    this.#process = new BashProcess({
      bash,
      cwd: this.cwd,
      env: host.environment(this.#options.env),
      directory: join(path, String(this.#processCount)),
      go,
      mergeStderr: this.#options.mergeStderr ?? false,
      onStdout: this.#output.onStdout,
      onStderr: this.#output.onStderr,
    });
    const { pid } = this.#process;
    if (pid !== undefined) this.#home.watchdog.guard(pid);
    return this.#process;
  }

  /** Ends bash with everything that runs in it. */
  async end(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
    this.cwd = nearestDirectory(this.cwd);
  }

  /** The same, and leaves no file or watchdog behind. */
  async dispose(): Promise<void> {
    await this.end();
    await this.#dropHome();
  }

  async #dropHome(): Promise<void> {
    const home = this.#home;
    this.#home = undefined;
    await home?.dispose();
  }
}

/** The directory itself, or the nearest one above it that still exists and may be entered. */
function nearestDirectory(directory: string): string {
  return existsSync(`${directory}/.`) ? directory : nearestDirectory(dirname(directory));
}

/** @throws an Error that names TMPDIR if programs cannot be put there. */
function openHome(options: SupervisorOptions): SessionHome {
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

/** The private files of a session, with the agent commands among them, and the watchdog that removes them. */
class SessionHome {
  readonly path: string;
  /** The absolute path of bash. */
  readonly bash: string;
  readonly host: AgentCommandHost;
  /** The FIFO that lets bash go on. */
  readonly go: { readonly path: string; readonly fd: number };
  readonly watchdog: Watchdog;
  /** Keeps the folder open, so that nobody can replace it unnoticed. */
  readonly #fd: number;

  constructor(parent: string, { env, handlers = new Map() }: SupervisorOptions) {
    this.path = newPrivateName(parent);
    this.bash = findBash(env);
    const [directory, bash, go] = [this.path, this.bash, join(this.path, 'go')];
    const undo: (() => void)[] = [];
    try {
      // The watchdog comes before what it guards: a host may be killed at any moment.
      this.watchdog = new Watchdog(bash, env.PATH ?? '', directory);
      undo.push(() => void this.watchdog.dismiss());
      makePrivate(directory);
      undo.push(() => removeFolder(directory));
      const folder = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
      undo.push(() => closeSync(folder));
      this.#fd = folder;
      makeFifos([aliveIn(directory), go], env);
      this.watchdog.begin();
      const fd = openSync(go, constants.O_RDWR | constants.O_NONBLOCK);
      undo.push(() => closeSync(fd));
      this.go = { path: go, fd };
      this.host = new AgentCommandHost({ directory, bash, env, handlers });
      undo.push(() => this.host.dispose());
      if (!this.host.isWhole) throw Object.assign(new Error(), { code: 'EACCES' });
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
  }

  /** Whether everything is there: an `rm -rf /tmp/*` may have removed it. */
  get isWhole(): boolean {
    return leadsTo(this.path, this.#fd) && this.host.isWhole && canReadAndWrite(this.go.path);
  }

  /** Removes all of it. Bash must have ended. */
  async dispose(): Promise<void> {
    this.host.dispose();
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
}
