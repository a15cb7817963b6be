import {
  chmodSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, makeFolders, orElse, readOwnFile, writeBeside } from '../../base/system/files.ts';
import { SetupError } from './text-edits.ts';

const BYTE_ORDER_MARK = '\ufeff';
const WRITABLE = 0o222;
const MAX_CONFIG_BYTES = 16 * 1024 * 1024;
const UNCHANGED = 'nothing was changed';
const AGAIN = 'other files were changed: run it again once this is repaired';

export type Outcome = 'written' | 'removed' | 'unchanged';

export interface FileEdit {
  readonly path: string;
  /** Returns undefined to delete the file. */
  readonly change: (text: string | undefined) => string | undefined;
}

/** A file, and its text before and after the edits; undefined for no file. */
interface FileDraft {
  readonly file: string;
  readonly stats: Stats | undefined;
  /** Its byte-order mark. */
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
  return withFileName(path, () => read(resolveLinks(path)).before);
}

/**
 * Edits files, once every edit is known to succeed. Each is replaced whole, so running it again completes a run that was
 * interrupted. Follows symbolic links, and keeps the mode.
 *
 * @param refusal says why the file that a link leads to must not be changed.
 * @param announce is told, before the first change, what will come of each edit.
 * @throws an AggregateError of SetupErrors, whose message says what was changed.
 */
export function editConfigs(
  edits: readonly FileEdit[],
  refusal: (file: string) => string | undefined,
  announce: (outcomes: readonly Outcome[]) => void = () => {},
): readonly Outcome[] {
  const drafts = draft(edits, refusal);
  const outcomes = drafts.map(({ before, after }) =>
    before === after ? 'unchanged' : after === undefined ? 'removed' : 'written',
  );
  announce(outcomes);
  let changed = UNCHANGED;
  try {
    for (const one of new Set(drafts)) {
      if (one.before === one.after) continue;
      withFileName(one.file, () => putFile(one));
      changed = AGAIN;
    }
  } catch (error) {
    throw new AggregateError([error], changed);
  }
  return outcomes;
}

/** Two paths that lead to the same file share a draft. */
function draft(
  edits: readonly FileEdit[],
  refusal: (file: string) => string | undefined,
): readonly FileDraft[] {
  const drafts = new Map<string, FileDraft>();
  const problems: unknown[] = [];
  const found = edits.map(({ path, change }) => {
    try {
      return withFileName(path, () => {
        const file = resolveLinks(path);
        const draft = drafts.get(file) ?? read(file);
        drafts.set(file, draft);
        draft.after = change(draft.after);
        const isReadOnly = draft.stats && (draft.stats.mode & WRITABLE) === 0;
        const problem = isReadOnly ? 'is read-only; make it writable first' : refusal(file);
        if (problem && draft.before !== draft.after) throw new SetupError(problem);
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

function putFile({ file, stats, mark, after }: FileDraft): void {
  if (after === undefined) {
    rmSync(file, { force: true });
    return;
  }
  const made = makeFolders(dirname(file), 0o777);
  let unfinished: string | undefined;
  try {
    unfinished = writeBeside(file, mark + after, stats ? 0o600 : 0o666);
    if (stats) chmodSync(unfinished, stats.mode & 0o7777);
    renameSync(unfinished, file);
  } catch (error) {
    if (unfinished) rmSync(unfinished, { force: true });
    for (const folder of made) orElse(() => rmdirSync(folder), undefined);
    throw error;
  }
}

function read(file: string): FileDraft {
  // Opening some devices starts them, so look first.
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) {
    return { file, stats, mark: '', before: undefined, after: undefined };
  }
  if (!stats.isFile()) throw new SetupError('is not a regular file');
  if (stats.size > MAX_CONFIG_BYTES) throw new SetupError('is larger than 16 MiB');
  const bytes = readOwnFile(file);
  const all = bytes.toString('utf8');
  if (!Buffer.from(all).equals(bytes)) throw new SetupError('is not UTF-8');
  const mark = all.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const text = all.slice(mark.length);
  return { file, stats, mark, before: text, after: text };
}

/** Resolves links even if what they lead to is missing. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    return isLink
      ? resolveLinks(resolve(dirname(path), readlinkSync(path)))
      : join(resolveLinks(dirname(path)), basename(path));
  }
}

/** Adds the file's name to an error. */
function withFileName<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const what = error instanceof SetupError ? '' : 'cannot be edited: ';
    throw new SetupError(`${path} ${what}${(error as Error).message}`, { cause: error });
  }
}
