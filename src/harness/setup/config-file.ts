import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  codeOf,
  makeFolders,
  orElse,
  pause,
  readOwnFile,
  writeBeside,
} from '../../base/system/files.ts';
import { SetupError } from './text-edits.ts';

const BYTE_ORDER_MARK = '\ufeff';
const WRITABLE = 0o222;
const MAX_BYTES = 16 * 1024 * 1024;
const UNCHANGED = 'nothing was changed';
const LOCK = '.agent-shell-setup.lock~';
/** An older lock belongs to a killed process; so does one from the future. */
const STALE_LOCK_MS = 10_000;
const PAUSE_MS = 20;

export type Outcome = 'written' | 'removed' | 'unchanged';

export interface FileEdit {
  readonly path: string;
  /** Returns undefined to delete the file. */
  readonly change: (text: string | undefined) => string | undefined;
}

/** A file and its new text; undefined for no file. */
interface Draft {
  readonly target: string;
  readonly stats: Stats | undefined;
  readonly mark: string;
  readonly before: string | undefined;
  after: string | undefined;
}

/**
 * A file's text without its byte-order mark; undefined if there is no file.
 *
 * @throws SetupError if it is not a regular file, cannot be read or is not UTF-8.
 */
export function readConfig(path: string): string | undefined {
  return told(path, () => read(targetOf(path)).before);
}

/**
 * Edits all files or none. Follows symbolic links, and keeps mode and owner.
 *
 * @param folder for the lock: the project, or the user's home.
 * @param refusal says why the target of a link must not be changed.
 * @throws an AggregateError of SetupErrors, whose message says what was changed: nothing, unless the old files could not be
 *   restored.
 */
export function editConfigs(
  edits: readonly FileEdit[],
  folder: string,
  refusal: (target: string) => string | undefined,
): readonly Outcome[] {
  // Most runs change nothing, and then do not even lock.
  const first = draft(edits, refusal);
  if (!first.some(isChanged)) return first.map(outcome);
  const lock = join(folder, LOCK);
  const made: string[] = [];
  let release = () => {};
  try {
    release = told(lock, () => take(lock));
    const drafts = draft(edits, refusal);
    const changed = [...new Set(drafts)].filter(isChanged);
    for (const target of changed.map((one) => dirname(one.target))) {
      made.push(...missingFolders(target));
      told(target, () => makeFolders(target, 0o777));
    }
    commit(changed);
    return drafts.map(outcome);
  } catch (error) {
    removeEmptyFolders(made.sort().reverse());
    throw error instanceof AggregateError ? error : new AggregateError([error], UNCHANGED);
  } finally {
    release();
  }
}

export function removeEmptyFolders(paths: readonly string[]): void {
  for (const path of paths) {
    // Fails if it is not empty, or not there.
    orElse(() => rmdirSync(path), undefined);
  }
}

/** Two paths that lead to the same file share a draft. */
function draft(
  edits: readonly FileEdit[],
  refusal: (target: string) => string | undefined,
): readonly Draft[] {
  const drafts = new Map<string, Draft>();
  const problems: unknown[] = [];
  const found = edits.map(({ path, change }) => {
    try {
      return told(path, () => {
        const target = targetOf(path);
        const draft = drafts.get(target) ?? read(target);
        drafts.set(target, draft);
        draft.after = change(draft.after);
        const problem = isChanged(draft) ? (whyNotWritable(draft) ?? refusal(target)) : undefined;
        if (problem) throw new SetupError(problem);
        return draft;
      });
    } catch (error) {
      problems.push(error);
      return undefined;
    }
  });
  if (problems.length > 0) throw new AggregateError(problems, UNCHANGED);
  return found.filter((draft) => draft !== undefined);
}

/** Writes the new files beside the old ones, then renames them all; restores the old ones if that fails. */
function commit(drafts: readonly Draft[]): void {
  const unfinished: string[] = [];
  try {
    const ready = drafts.map((draft) => prepared(draft, unfinished));
    for (const put of ready) put();
  } catch (error) {
    const failures = drafts.flatMap((draft) => restored(draft, unfinished));
    throw new AggregateError(
      [error, ...failures],
      failures.length > 0 ? 'some files could not be restored' : UNCHANGED,
    );
  } finally {
    for (const path of unfinished) rmSync(path, { force: true });
  }
}

/** Returns the reasons why it cannot. */
function restored(draft: Draft, unfinished: string[]): SetupError[] {
  const { target, before } = draft;
  try {
    if (read(target).before !== before) prepared({ ...draft, after: before }, unfinished)();
    return [];
  } catch (error) {
    return [new SetupError(`${target} cannot be restored: ${(error as Error).message}`)];
  }
}

/** Does everything that can fail for lack of room or permission. Returns a function that does the rest. */
function prepared({ target, stats, mark, after }: Draft, unfinished: string[]): () => void {
  if (after === undefined) return () => rmSync(target, { force: true });
  const bytes = Buffer.from(mark + after);
  // Only writing in place keeps several hard links.
  if (stats && stats.nlink > 1) return () => told(target, () => writeFileSync(target, bytes));
  return told(target, () => {
    const path = writeBeside(target, bytes, stats ? 0o600 : 0o666);
    unfinished.push(path);
    if (stats) {
      keepOwner(path, stats);
      chmodSync(path, stats.mode & 0o7777);
    }
    return () => told(target, () => renameSync(path, target));
  });
}

function isChanged({ before, after }: Draft): boolean {
  return before !== after;
}

function outcome(draft: Draft): Outcome {
  if (!isChanged(draft)) return 'unchanged';
  return draft.after === undefined ? 'removed' : 'written';
}

function read(target: string): Draft {
  // Opening some devices starts them, so look first.
  const stats = lstatSync(target, { throwIfNoEntry: false });
  if (stats === undefined) {
    return { target, stats, mark: '', before: undefined, after: undefined };
  }
  if (!stats.isFile()) throw new SetupError('is not a regular file');
  if (stats.size > MAX_BYTES) throw new SetupError('is larger than 16 MiB');
  const bytes = readOwnFile(target);
  const all = bytes.toString('utf8');
  if (!Buffer.from(all).equals(bytes)) throw new SetupError('is not UTF-8');
  const mark = all.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const text = all.slice(mark.length);
  return { target, stats, mark, before: text, after: text };
}

function whyNotWritable({ stats }: Draft): string | undefined {
  const isReadOnly = stats !== undefined && (stats.mode & WRITABLE) === 0;
  return isReadOnly ? 'is read-only; make it writable first' : undefined;
}

function keepOwner(path: string, { uid, gid }: Stats): void {
  // Only root may give a file away.
  orElse(() => chownSync(path, uid, gid), undefined);
}

/** Resolves links even if their target is missing. */
export function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    return isLink
      ? targetOf(resolve(dirname(path), readlinkSync(path)))
      : join(targetOf(dirname(path)), basename(path));
  }
}

function missingFolders(path: string): string[] {
  return existsSync(path) ? [] : [path, ...missingFolders(dirname(path))];
}

/** Waits for a lock. Returns a function that releases it. */
function take(lock: string): () => void {
  const until = performance.now() + STALE_LOCK_MS;
  for (;;) {
    try {
      closeSync(openSync(lock, 'wx'));
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const since = lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Math.abs(Date.now() - since) > STALE_LOCK_MS) rmSync(lock, { force: true });
    if (performance.now() > until) {
      throw new SetupError('is the lock of another setup; if none is running, delete it');
    }
    pause(PAUSE_MS);
  }
}

/** Adds the file's name to an error. */
function told<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const what = error instanceof SetupError ? '' : 'cannot be edited: ';
    throw new SetupError(`${path} ${what}${(error as Error).message}`, { cause: error });
  }
}
