import { closeSync, constants, openSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { AgentBashHandler } from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import { findBash } from '../system/find-program.ts';
import { AgentCommandHost } from './agent-commands.ts';
import { canReadAndWrite, makeFifos } from './fifos.ts';
import { aliveIn, newPrivateName, PrivateFolder, sweep } from './private-folder.ts';
import { shortage } from './shortage.ts';
import { Watchdog } from './watchdog.ts';

/** What a home is made for. */
export interface HomeOptions {
  readonly env: Environment;
  /** What a relative TMPDIR is relative to. */
  readonly cwd: string;
  readonly handlers?: ReadonlyMap<string, AgentBashHandler>;
}

/** The private files of a session in TMPDIR, with the agent commands among them, and the watchdog that removes them. */
export class SessionHome {
  /** The absolute path of bash. */
  readonly bash: string;
  readonly folder: PrivateFolder;
  readonly host: AgentCommandHost;
  /** The FIFO that lets bash go on. */
  readonly go: { readonly path: string; readonly fd: number };
  readonly #watchdog: Watchdog;

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
      const { code } = error as NodeJS.ErrnoException;
      throw new Error(
        `no program can be put into ${temporary} (${code}): set TMPDIR to a folder with room in which you may write and run programs`,
      );
    }
  }

  private constructor(parent: string, { env, handlers = new Map() }: HomeOptions) {
    const bash = findBash(env);
    const directory = newPrivateName(parent);
    const [alive, go] = [aliveIn(directory), join(directory, 'go')];
    const undo: (() => void)[] = [];
    try {
      // The watchdog comes before what it guards: a host may be killed at any moment.
      const watchdog = new Watchdog(bash, env.PATH ?? '', directory, alive);
      undo.push(() => void watchdog.dismiss());
      const folder = new PrivateFolder(directory);
      undo.push(() => folder.remove());
      makeFifos([alive, go], env);
      watchdog.begin();
      const fd = openSync(go, constants.O_RDWR | constants.O_NONBLOCK);
      undo.push(() => closeSync(fd));
      const host = new AgentCommandHost({ directory, bash, env, handlers });
      undo.push(() => host.dispose());
      if (!host.isWhole) throw Object.assign(new Error(), { code: 'EACCES' });
      [this.bash, this.folder, this.host, this.#watchdog] = [bash, folder, host, watchdog];
      this.go = { path: go, fd };
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
  }

  /** Whether everything is there: an `rm -rf /tmp/*` may have removed it. */
  get isWhole(): boolean {
    return this.folder.isThere && this.host.isWhole && canReadAndWrite(this.go.path);
  }

  /** Has the watchdog kill this bash with all that it started, once the host is gone. */
  guard(bash: number): void {
    this.#watchdog.guard(bash);
  }

  /** Removes all of it. Bash must have ended. */
  async dispose(): Promise<void> {
    this.host.dispose();
    closeSync(this.go.fd);
    try {
      this.folder.remove();
    } catch {
      // Whatever a line made of it that cannot be removed stays; nothing of ours runs there any more.
    }
    await this.#watchdog.dismiss();
  }
}
