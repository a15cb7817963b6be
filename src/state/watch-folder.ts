import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';

const POLL_MS = 1000;

/**
 * Calls back soon after something in a folder has changed, and at least once a second, in case the system tells of
 * nothing. The folder need not be there; it may come, go and come again. Does not keep the process alive.
 *
 * @returns what ends it.
 */
export function watchFolder(path: string, listener: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let watched: string | undefined;

  /** Watches the folder or, until it is there, the nearest one above it. */
  const arm = (): void => {
    const [folder, identity] = nearest(path);
    if (identity === watched) return;
    watcher?.close();
    watched = identity;
    try {
      watcher = watch(folder, { persistent: false }, wake);
      watcher.on('error', () => {});
    } catch {
      // No such service, or no more of it to be had: once a second will have to do.
      return;
    }
    // What was made in the meantime told nobody.
    arm();
  };
  const wake = (): void => {
    arm();
    listener();
  };

  arm();
  const timer = setInterval(wake, POLL_MS).unref();
  return () => {
    clearInterval(timer);
    watcher?.close();
  };
}

/** The path, or else the nearest folder above it that is there; and what tells it from another of the same name. */
function nearest(path: string): [folder: string, identity: string] {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      const { dev, ino, birthtimeMs } = statSync(folder);
      return [folder, [folder, dev, ino, birthtimeMs].join(' ')];
    } catch {
      if (dirname(folder) === folder) return [folder, folder];
    }
  }
}
