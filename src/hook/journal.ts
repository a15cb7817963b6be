import { renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SeenLine } from '../command/agent-command.ts';
import { makeFolders } from '../make-folders.ts';
import { newId } from '../state/folder-names.ts';
import { appendOwnFile, readOwnFile } from '../state/own-files.ts';
import type { Items } from '../todo/todo-item.ts';

/** What one call of the hook has seen, or said. */
export interface Entry {
  readonly id: string;
  /** The harness's session. */
  readonly session: string;
  /** A command line that has ended. */
  readonly line?: string;
  /** Its exit code, if that is known. */
  readonly exit?: number;
  /** This many earlier lines, of which nothing else is known. */
  readonly lines?: number;
  /** When it was added, as in `2026-01-31T12:00:00.000Z`. */
  readonly at?: string;
  /** The list, where it was another one before. */
  readonly list?: { readonly version: number; readonly items: Items };
  /** What was said of this version of the list. */
  readonly said?: 'shown' | 'gate';
  /** The conversation is about to be cut. */
  readonly cut?: true;
  /** The version of the list at that time. */
  readonly version: number;
}

const FILE = 'hook.jsonl';
const MAX_BYTES = 256 * 1024;

/**
 * What calls of the hook remember about one list, in a file. Each call is a process, and several may run at once: each
 * appends one line and reads them all, so that all agree on what came first. A line that a killed process left half
 * written is skipped.
 */
export class Journal {
  readonly #path: string;

  /** @param folder Made where it is not there. */
  constructor(folder: string) {
    this.#path = join(folder, FILE);
  }

  /** All entries up to and with this one, which is added. */
  add(entry: Omit<Entry, 'id'>): readonly Entry[] {
    makeFolders(dirname(this.#path));
    const id = newId();
    // The empty line keeps this one apart from what a killed process has left.
    appendOwnFile(this.#path, `\n${JSON.stringify({ id, ...entry })}\n`);
    const entries = this.read();
    this.#shorten(entries);
    return entries.slice(0, entries.findIndex((known) => known.id === id) + 1);
  }

  read(): readonly Entry[] {
    let text = '';
    try {
      text = readOwnFile(this.#path).toString();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return text.split('\n').flatMap(parseEntry);
  }

  /** Entries that another process adds meanwhile are lost, which does no harm: a count is one too low. */
  #shorten(entries: readonly Entry[]): void {
    if (statSync(this.#path).size <= MAX_BYTES) return;
    const unfinished = `${this.#path}.${newId()}`;
    const text = shortened(entries).map((entry) => `${JSON.stringify(entry)}\n`);
    writeFileSync(unfinished, text.join(''), { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, this.#path);
  }
}

/**
 * The lines that a harness told of, for what they prove: each began after the one before it in its session had ended.
 *
 * @param session the harness's session; all of them unless given.
 */
export function seenLines(entries: readonly Entry[], session?: string): SeenLine[] {
  const lines: SeenLine[] = [];
  const last = new Map<string, Date>();
  for (const { session: of, line, exit: exitCode, at } of entries) {
    if (at === undefined || (session !== undefined && session !== of)) continue;
    const from = last.get(of);
    const ended = new Date(at);
    if (line !== undefined && from) lines.push({ line, exitCode, from, at: ended });
    last.set(of, ended);
  }
  return lines;
}

/** The last list, how many lines have run since, and what was said: all that reminders and the gate need. */
function shortened(entries: readonly Entry[]): Entry[] {
  const last = entries.findLastIndex(({ list }) => list !== undefined);
  const before = entries.slice(0, last).filter(({ said }) => said !== undefined);
  const [found, ...after] = entries.slice(Math.max(0, last));
  if (found === undefined) return before;
  const lines = after.reduce((sum, entry) => sum + linesIn(entry), 0);
  const { id, session, version } = found;
  return [
    ...before,
    found,
    ...(lines > 0 ? [{ id: `${id}+`, session, version, lines }] : []),
    ...after.filter(({ said, cut }) => said !== undefined || cut),
  ];
}

function linesIn({ line, lines = 0 }: Entry): number {
  return lines + (line === undefined ? 0 : 1);
}

function parseEntry(line: string): Entry[] {
  if (line === '') return [];
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null && 'id' in entry ? [entry as Entry] : [];
  } catch {
    return [];
  }
}
