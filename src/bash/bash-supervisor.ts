import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BashProcess } from './bash-process.ts';
import { type HomeOptions, SessionHome } from './session-home.ts';
import type { SessionOutput } from './session-output.ts';

type SupervisorOptions = HomeOptions & { readonly mergeStderr?: boolean };

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
    this.#home ??= SessionHome.open(this.#options);
    const { bash, path, go } = this.#home;
    this.#home.writeScripts();
    if (this.#process) return this.#process;
    this.cwd = nearestDirectory(this.cwd);
    this.#processCount += 1;
    this.#process = new BashProcess({
      bash,
      cwd: this.cwd,
      env: this.#home.environment,
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
