import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf, orElse, randomHex, writeAll } from '../../base/system/files.ts';
import type { Traces } from '../../base/system/processes.ts';
import { hasReader } from './fifos.ts';
import watchdog from './watchdog.sh';

/*
 * A session's private folder is removed by its session, by its watchdog if the host was killed, or by a later session if the
 * watchdog was killed too. It is never recreated under its name, which another user may have taken.
 */

const PREFIX = 'agent-shell-';
/** In a younger folder, the session may not have opened its FIFO yet. */
const SWEPT_AFTER_MS = 60_000;
const REMOVAL_TRIES = 20;

export const newPrivateName = (parent: string) => join(parent, `${PREFIX}${randomHex(6)}`);

/** Makes a folder that only this user can enter, whatever the umask. */
export function makePrivate(path: string): void {
  mkdirSync(path);
  chmodSync(path, 0o700);
}

/** Writes a file that only this user can use, whatever the umask. */
export function writePrivate(path: string, text: string, mode = 0o600): void {
  writeFileSync(path, text);
  chmodSync(path, mode);
}

export function removeFolder(path: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      // A line may have changed the mode of a folder.
      if (codeOf(error) === 'EACCES' && tries === 1) allow(path);
      // A caller of an agent command that has not noticed the end yet may still create a file in it.
      else if (codeOf(error) !== 'ENOTEMPTY' || tries === REMOVAL_TRIES) throw error;
    }
  }
}

function allow(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) allow(join(folder, entry.name));
  }
}

/** How to recognize descendants of the bash with this private folder: by their PATH, or their output. */
export function tracesOf(folder: string): Traces {
  // Slots are no trace: any process that calls an agent command has one open.
  const outputs = /^\/(?:out|err)(?: \(deleted\))?$/;
  const isTheirs = (file: string) =>
    file.startsWith(`${folder}/`) && outputs.test(file.slice(folder.length));
  return { environment: `${folder}/bin`, isTheirs };
}

/**
 * The FIFO that the host and the watchdog of a private folder have open as long as they live. It is named after the machine:
 * on a shared disk, a FIFO tells nothing about the processes of other machines.
 */
export const aliveIn = (folder: string) => join(folder, `alive-${hostname()}`);

/** Removes this user's private folders whose host and watchdog have ended. */
export function sweep(parent: string): void {
  // In a shared folder, listing may be forbidden.
  for (const name of orElse(() => readdirSync(parent), [])) {
    if (name.startsWith(PREFIX)) sweepFolder(join(parent, name));
  }
}

function sweepFolder(folder: string): void {
  try {
    const { uid, mtimeMs } = lstatSync(folder);
    if (uid !== process.getuid?.() || Date.now() - mtimeMs < SWEPT_AFTER_MS) return;
    // The host of an empty one was killed before it made the FIFO.
    if (!hasReader(aliveIn(folder)) || readdirSync(folder).length === 0) removeFolder(folder);
  } catch {
    // Something else has that name, or it is being removed.
  }
}

/**
 * Cleans up after a host that was killed or has crashed. A small shell waits for the end of a FIFO that only the host has open
 * for writing, then kills bash's processes and removes the private folder. It keeps bash alive until then, since orphans of bash
 * could not be recognized. The host's process needs no handlers for signals or exits.
 */
export class Watchdog {
  readonly #child: ChildProcess;
  readonly #aliveFile: string;
  #alive: number | undefined;

  /**
   * @param path searched for programs before the system's folders.
   * @param folder need not exist yet.
   */
  constructor(bash: string, path: string, folder: string) {
    this.#aliveFile = aliveIn(folder);
    const argv = ['-c', watchdog, 'watchdog', folder, String(process.pid), this.#aliveFile];
    this.#child = spawn(bash, argv, {
      detached: true,
      // Node's pipes are sockets, which some sandboxes forbid.
      stdio: 'ignore',
      cwd: '/',
      env: { PATH: `${path}:/usr/bin:/bin`, SHLVL: '1' },
    });
    this.#child.on('error', () => {});
    this.#child.unref();
  }

  /** Call this when the FIFOs exist. */
  begin(): void {
    this.#alive = openSync(this.#aliveFile, constants.O_RDWR | constants.O_NONBLOCK);
    writeAll(this.#alive, '\n');
  }

  /** @param leader bash, the leader of the session of processes to kill, and when it started. */
  guard(leader: number, start = 0): void {
    if (this.#alive !== undefined) writeAll(this.#alive, `${leader} ${start}\n`);
  }

  /** Call this when the host has cleaned up. */
  async dismiss(): Promise<void> {
    this.#child.ref();
    if (this.#child.exitCode === null && this.#child.kill('SIGKILL')) {
      await new Promise((resolve) => this.#child.once('exit', resolve));
    }
    if (this.#alive !== undefined) closeSync(this.#alive);
  }
}

/**
 * The limit to raise or the program to install if a shortage of it caused this error.
 *
 * @param folder the only folder that can be written to, if there is no choice.
 */
export function shortage(error: unknown, folder?: string): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE') {
    return 'too many open files: raise the limit, such as ulimit -n 256';
  }
  if (code === 'EAGAIN' && syscall?.startsWith('spawn')) {
    return 'too many processes: raise the limit, such as ulimit -u 256';
  }
  if (code === 'ENOENT' && syscall?.startsWith('spawnSync')) {
    return 'install mkfifo, a part of coreutils, or put it on PATH';
  }
  if (code === 'EFBIG')
    return 'files may not grow enough: raise the limit, such as ulimit -f unlimited';
  if (folder && (code === 'ENOSPC' || code === 'EDQUOT'))
    return `no space is left in ${folder}: make room there`;
  return undefined;
}
