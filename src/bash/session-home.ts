import { join } from 'node:path';
import type { AgentBashHandler } from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import { AgentCommandHost } from './agent-commands.ts';
import { writeEditors } from './editors.ts';
import { findBash } from './find-program.ts';
import { PrivateFolder } from './private-folder.ts';

/** The private files of a session, and the agent commands among them. */
export interface Home {
  /** The absolute path of bash. */
  readonly bash: string;
  readonly folder: PrivateFolder;
  readonly host: AgentCommandHost;
}

/** What a home is made for. */
export interface HomeOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly handlers?: ReadonlyMap<string, AgentBashHandler>;
}

/** The homes of one session: it moves to a new one if anything in the current one is missing. */
export class SessionHomes {
  readonly #options: HomeOptions;
  readonly #left: Home[] = [];
  #home: Home | undefined;

  constructor(options: HomeOptions) {
    this.#options = options;
  }

  /** The current home of the session; undefined before the first line. */
  get current(): Home | undefined {
    return this.#home;
  }

  /**
   * A complete home.
   *
   * @param isWhole whether the other files in the current home exist.
   * @param moved called with the previous and the new home, if there was one before.
   */
  open(isWhole: () => boolean, moved: (from: Home, to: Home) => void): Home {
    const earlier = this.#home;
    if (earlier?.folder.isThere && earlier.host.isWhole && isWhole()) return earlier;
    const home = this.#make();
    this.#home = home;
    if (earlier) {
      earlier.host.retire();
      this.#left.push(earlier);
      moved(earlier, home);
    }
    return home;
  }

  dispose(): void {
    for (const { folder, host } of [...this.#left, ...(this.#home ? [this.#home] : [])]) {
      host.dispose();
      try {
        folder.remove();
      } catch {
        // Whatever a line made of it that cannot be removed stays; nothing of ours runs there any more.
      }
    }
  }

  #make(): Home {
    const { env, cwd, handlers = new Map() } = this.#options;
    const bash = findBash(env);
    return PrivateFolder.make(env, cwd, (folder) => {
      const directory = folder.path;
      const host = new AgentCommandHost({ directory, bash, env, handlers });
      try {
        writeEditors(join(directory, 'bin'), bash, env);
      } catch (error) {
        host.dispose();
        throw error;
      }
      return { bash, folder, host };
    });
  }
}
