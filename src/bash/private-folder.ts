import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { makeFolders } from '../system/files.ts';
import { shortage } from './descriptors.ts';

/** How many bytes must be free: about what the session writes before its first line. */
const ROOM = 64 * 1024;

const REMOVAL_TRIES = 20;

/** There is nowhere to put the session's private files. */
export class NoPrivateFolder extends Error {}

/** Makes a folder that only this user can enter, whatever the umask. */
export function makePrivate(path: string): void {
  mkdirSync(path);
  chmodSync(path, 0o700);
}

/**
 * A new folder with a random name that only this user can enter, in TMPDIR or, if programs cannot run from there, in
 * the user's own folders for such files.
 *
 * Its name is known once it is made: it is never made again under that name, which another user may have taken.
 */
export class PrivateFolder {
  readonly path: string;
  /** Keeps the folder open, so that nobody can replace it unnoticed. */
  readonly #fd: number;

  /** @param path a folder that was just made. */
  private constructor(path: string) {
    this.path = path;
    let fd: number | undefined;
    try {
      // The umask may have removed our own rights.
      chmodSync(path, 0o700);
      fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      const program = join(path, 'program');
      writeFileSync(program, Buffer.alloc(ROOM));
      chmodSync(program, 0o700);
      accessSync(program, constants.X_OK);
      rmSync(program);
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      removeTree(path);
      throw error;
    }
    this.#fd = fd;
  }

  /**
   * @param cwd what a relative TMPDIR is relative to.
   * @param fill puts the files into it. Where that fails, as on a file system without FIFOs, another place is tried.
   * @throws a NoPrivateFolder that names TMPDIR if no folder can be made.
   */
  static make<Filled>(
    env: Environment,
    cwd: string,
    fill: (folder: PrivateFolder) => Filled,
  ): Filled {
    const temporary = resolve(cwd, env.TMPDIR || '/tmp');
    let reason: unknown;
    for (const parent of [temporary, ...others(env)]) {
      try {
        // PATH cannot lead there, or bash cannot read such a name.
        if ([delimiter, '\x01', '\x7f'].some((character) => parent.includes(character)))
          throw Object.assign(new Error(), { code: 'a colon or control character in its name' });
        if (parent !== temporary) makeFolders(parent);
        return PrivateFolder.#makeIn(parent, fill);
      } catch (error) {
        // Another folder would not help.
        if (shortage(error)) throw error;
        reason ??= error;
      }
    }
    throw new NoPrivateFolder(
      `no program can be put into ${temporary} (${(reason as NodeJS.ErrnoException).code}): set TMPDIR to a folder with room in which you may write and run programs`,
    );
  }

  static #makeIn<Filled>(parent: string, fill: (folder: PrivateFolder) => Filled): Filled {
    const folder = new PrivateFolder(mkdtempSync(join(parent, 'agent-shell-')));
    try {
      return fill(folder);
    } catch (error) {
      folder.remove();
      throw error;
    }
  }

  /** Whether its path still leads to it: it was not removed, moved, mounted over or shut off. */
  get isThere(): boolean {
    const own = fstatSync(this.#fd);
    try {
      const now = lstatSync(this.path);
      return now.ino === own.ino && now.dev === own.dev;
    } catch {
      return false;
    }
  }

  /** Removes it with everything in it. */
  remove(): void {
    const { isThere } = this;
    // This may be the last descriptor, and the removal needs one.
    closeSync(this.#fd);
    if (isThere) removeTree(this.path);
  }
}

function removeTree(path: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A line may have removed our own rights.
      if (code === 'EACCES' && tries === 1) allow(path);
      // A caller of an agent command that has not yet noticed the end may still create a file in it.
      else if (code !== 'ENOTEMPTY' || tries === REMOVAL_TRIES) throw error;
    }
  }
}

function allow(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) allow(join(folder, entry.name));
  }
}

function others({ XDG_RUNTIME_DIR = '', XDG_STATE_HOME = '', HOME = '' }: Environment): string[] {
  const home = existsSync(HOME) ? join(HOME, '.local', 'state') : '';
  const state = isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : home;
  return [XDG_RUNTIME_DIR, state && join(state, 'todowrite')].filter((path) => isAbsolute(path));
}
