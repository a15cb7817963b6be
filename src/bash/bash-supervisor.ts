import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BashProcess } from './bash-process.ts';
import type { HeldSettings } from './control-commands.ts';
import { type Home, type HomeOptions, SessionHomes } from './session-home.ts';
import type { SessionOutput } from './session-output.ts';
import { Watchdog } from './watchdog.ts';

/** The private files for the next line, and what there is to say if that took a new bash. */
interface Opened {
  readonly home: Home;
  readonly note?: string;
}

/** Keeps one bash for a session: starts it, moves it with its private files, and starts it again where the last one was. */
export class BashSupervisor {
  readonly #options: HomeOptions & { readonly mergeStderr?: boolean };
  readonly #output: SessionOutput;
  readonly #homes: SessionHomes;
  #process: BashProcess | undefined;
  #watchdog: Watchdog | undefined;
  #processCount = 0;

  /** The directory of bash, as it last told it: the next bash starts there. */
  cwd: string;

  constructor(options: HomeOptions & { readonly mergeStderr?: boolean }, output: SessionOutput) {
    this.#options = options;
    this.#output = output;
    this.#homes = new SessionHomes(options);
    this.cwd = resolve(options.cwd);
  }

  /** The current bash, which may have ended by itself; undefined before the first one, and after `end()`. */
  get process(): BashProcess | undefined {
    return this.#process;
  }

  /** Where its private files are; undefined before the first line. */
  get home(): Home | undefined {
    return this.#homes.current;
  }

  /** Whether bash is running. */
  get isAlive(): boolean {
    return this.#process?.alive ?? false;
  }

  /** Where the private files are for the next line: in a new folder, if someone has removed any of the current one. */
  async open(inNewFolder = false): Promise<Opened> {
    const bash = this.#process?.alive ? this.#process : undefined;
    let moved: Promise<boolean> | undefined;
    const home = this.#homes.open(
      () => !inNewFolder && (bash?.isWhole ?? true),
      (from, to) => {
        moved = bash?.move(from.folder.path, to.folder.path);
        if (bash) this.#watch(to, bash);
      },
    );
    if ((await moved) !== false) return { home };
    // Another user may have put programs where its PATH leads.
    await this.end();
    const note = `PATH cannot be changed to the new private folder; bash was restarted in ${this.cwd}`;
    return { home, note };
  }

  /** A living bash, and the scripts of all agent commands. */
  start(home: Home, restored?: { file: string; held: HeldSettings }): BashProcess {
    const { bash, folder, host } = home;
    host.writeScripts();
    if (this.#process?.alive) return this.#process;
    this.cwd = nearestDirectory(this.cwd);
    this.#processCount += 1;
    const env = host.environment(this.#options.env);
    this.#process = new BashProcess({
      bash,
      // Variables that were unset in a restored bash must not come back.
      env: restored ? { PATH: env.PATH } : env,
      cwd: this.cwd,
      directory: join(folder.path, String(this.#processCount)),
      mergeStderr: this.#options.mergeStderr ?? false,
      onStdout: this.#output.onStdout,
      onStderr: this.#output.onStderr,
      restored,
    });
    this.#watch(home, this.#process);
    return this.#process;
  }

  /** If the memory of bash is broken, starts another one with its state. @returns whether it was. */
  async heal(home: Home): Promise<boolean> {
    const file = join(home.folder.path, 'state');
    if (this.#process === undefined || (await this.#process.isSound(file))) return false;
    const { held } = this.#process;
    await this.end();
    this.start(home, existsSync(file) ? { file, held } : undefined);
    return true;
  }

  /** Ends bash with everything that runs in it. */
  async end(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
  }

  /** The same, and leaves no file or watchdog behind. */
  async dispose(): Promise<void> {
    await this.#process?.kill();
    this.#homes.dispose();
    await this.#watchdog?.dismiss();
  }

  #watch({ bash, folder, host }: Home, { pid: leader, script }: BashProcess): void {
    const earlier = this.#watchdog;
    const path = this.#options.env.PATH ?? '';
    this.#watchdog = new Watchdog({
      bash,
      path,
      directory: folder.path,
      leader,
      script,
      alive: host.alive,
    });
    void earlier?.dismiss();
  }
}

/** The directory itself, or the nearest one above it that still exists and may be entered. */
function nearestDirectory(directory: string): string {
  return existsSync(`${directory}/.`) ? directory : nearestDirectory(dirname(directory));
}
