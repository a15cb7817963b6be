import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';

const POLL_MS = 1000;
/** One change of a list is several events, and many changes may come at once: after a look, what comes waits so long. */
const PAUSE_MS = 20;

/**
 * Calls back soon after something in a folder has changed, and at least once a second, in case the system tells of
 * nothing; of what comes close together, the last is always seen. The folder need not be there; it may come, go and come again. Does not keep the process alive.
 *
 * @returns what ends it.
 */
export function watchFolder(path: string, listener: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let watched: string | undefined;
  let pause: NodeJS.Timeout | undefined;
  let isDue = false;

  /** Watches the folder or, until it is there, the nearest one above it. */
  const arm = (): void => {
    const [folder, identity] = nearest(path);
    if (identity === watched) return;
    watcher?.close();
    watched = identity;
    try {
      watcher = watch(folder, { persistent: false }, hear);
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
  const hear = (): void => {
    isDue = pause !== undefined;
    if (isDue) return;
    wake();
    pause = setTimeout(() => {
      pause = undefined;
      if (isDue) hear();
    }, PAUSE_MS).unref();
  };

  arm();
  const timer = setInterval(wake, POLL_MS).unref();
  return () => {
    clearInterval(timer);
    clearTimeout(pause);
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
