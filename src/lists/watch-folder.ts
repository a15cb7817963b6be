import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { orElse } from '../base/system/files.ts';

const FOLDER_POLL_MS = 1000;
// A folder that has been quiet for so long is read only every tenth time; not never, since its time may be another machine's.
const QUIET_MS = 3000;
const MOST_PASSED = 9;
/** A change of a list is several events, so after a look, further ones wait this long. */
const LOOK_PAUSE_MS = 20;

/**
 * Calls back soon after something in a folder has changed, within a second if the system sends no events. The last of close
 * changes is always seen. The folder need not exist; it may come and go. Does not keep the process alive.
 *
 * @returns a function that stops it.
 */
export function watchFolder(path: string, listener: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let watched: string | undefined;
  let changedAt: number | undefined;
  let passed = 0;
  let pause: NodeJS.Timeout | undefined;
  let isDue = false;

  /** Watches the folder or, until it exists, its nearest parent. */
  const arm = ({ folder, identity, changed } = nearestExisting(path)): void => {
    changedAt = changed;
    if (identity === watched) return;
    watcher?.close();
    watched = identity;
    try {
      watcher = watch(folder, { persistent: false }, hear);
      watcher.on('error', () => {});
    } catch {
      // No such service, or none left: polling must do.
      return;
    }
    // Changes before the watch began sent no event.
    arm();
  };
  const wake = (found = nearestExisting(path)): void => {
    passed = 0;
    arm(found);
    listener();
  };
  const poll = (): void => {
    const found = nearestExisting(path);
    const isQuiet =
      found.identity === watched &&
      found.changed === changedAt &&
      Date.now() - found.changed > QUIET_MS;
    if (isQuiet && passed < MOST_PASSED) passed++;
    else wake(found);
  };
  const hear = (): void => {
    isDue = pause !== undefined;
    if (isDue) return;
    wake();
    pause = setTimeout(() => {
      pause = undefined;
      if (isDue) hear();
    }, LOOK_PAUSE_MS).unref();
  };

  arm();
  const stopPolling = everySecond(poll);
  return () => {
    stopPolling();
    clearTimeout(pause);
    watcher?.close();
  };
}

/** One timer for all folders, so that a process wakes once for all. */
const polled = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

function everySecond(look: () => void): () => void {
  polled.add(look);
  timer ??= setInterval(() => {
    for (const each of [...polled]) each();
  }, FOLDER_POLL_MS).unref();
  return () => {
    polled.delete(look);
    if (polled.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/**
 * The path or its nearest existing parent, with an identity to tell it from others of the same name, and the time of its
 * last change.
 */
function nearestExisting(path: string): { folder: string; identity: string; changed: number } {
  for (let folder = path; ; folder = dirname(folder)) {
    const stats = orElse(() => statSync(folder, { throwIfNoEntry: false }), undefined);
    if (stats) {
      const { dev, ino, birthtimeMs, ctimeMs } = stats;
      return { folder, identity: [folder, dev, ino, birthtimeMs].join(' '), changed: ctimeMs };
    }
    if (dirname(folder) === folder) return { folder, identity: folder, changed: Number.NaN };
  }
}
