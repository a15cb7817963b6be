import { join } from 'node:path';
import { attempt, errorCode } from '../base/command/state-error.ts';
import { isOpen } from '../base/command/status.ts';
import type { Settings } from '../base/settings/settings.ts';
import { makeFolders, readOwnFile, writeOwnFile } from '../base/system/files.ts';
import { ListHome } from '../lists/list-home.ts';
import { hookFolder, type ListName, listKey, sessionKey } from '../lists/list-paths.ts';
import { DEFAULT_AGENT, USER } from '../lists/place.ts';
import { TodoList, todoPlace } from './todo-store.ts';
import { type LeftBehind, leftBehind } from './todo-version.ts';

/** The todo lists of a process, in files or on a server. */
export class TodoHome extends ListHome {
  readonly #lists = new Map<string, TodoList>();
  readonly #names = new WeakMap<TodoList, ListName>();

  /** Opens a list by its name; the same object each time for the same author. */
  readonly open = (partial: Partial<ListName>, settings: Settings = this.settings): TodoList => {
    const name = this.name(partial, settings);
    // A leader that writes another agent's list signs with its own name.
    const author = settings.agent ?? partial.agent ?? DEFAULT_AGENT;
    const key = JSON.stringify([name, author]);
    const isUnnamed = (partial.session ?? settings.session) === undefined;
    const begins = isUnnamed ? () => this.noteBeginning(name) : undefined;
    const list = this.#lists.get(key) ?? this.openFound(listKey(name), author, begins);
    if (isUnnamed && this.isOfHarness(name.agent)) {
      list.leftBehind = () => this.#leftBehind(name);
    }
    this.#lists.set(key, list);
    this.#names.set(list, name);
    return list;
  };

  /** @param begins called before the first version is written to files. */
  openFound(key: string, author: string, begins?: () => void): TodoList {
    const { history } = this.settings;
    const place = todoPlace(this.storage, key, { author, history, begins });
    return new TodoList(() => new Date(), place);
  }

  /** For a person: the session's list that was changed last and can be read; undefined if it has none. */
  async newest(session: string): Promise<{ list: TodoList; agent: string } | undefined> {
    return (await this.#readIn(session, USER))[0];
  }

  /** By the same agent in another session of the harness. */
  async #leftBehind({ session, agent: own }: ListName): Promise<LeftBehind | undefined> {
    const start = own.slice(0, own.lastIndexOf('@') + 1);
    const isOther = (agent: string) =>
      agent.startsWith(start) && agent !== own && PLAIN.test(agent);
    return leftBehind(await this.#readIn(session, own, isOther));
  }

  /** The session's lists of these agents that can be read, newest first. */
  async #readIn(session: string, author: string, isWanted = (_agent: string) => true) {
    const found = (await this.storage.find(sessionKey(session)))
      .map(({ key, path: [, , agent = ''], changedAt }) => ({ key, agent, changedAt }))
      .filter(({ agent }) => isWanted(agent));
    // A server does not tell when a list was changed: then all are read.
    const isDated = found[0]?.changedAt !== undefined;
    found.sort((a, b) => (b.changedAt ?? 0) - (a.changedAt ?? 0));
    const reading = found
      .slice(0, isDated ? MOST_LISTS_READ : undefined)
      .map(async ({ key, agent }) => {
        const list = this.openFound(key, author);
        return { agent, list, newest: await list.read() };
      });
    const read = await Promise.allSettled(reading);
    return read
      .flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      .sort((a, b) => +b.newest.updatedAt - +a.newest.updatedAt);
  }

  /** Tells the hook that the agent should not stop before its list is finished, from this version on. */
  setUntilDone(list: TodoList, version: number): void {
    const name = this.#names.get(list);
    if (name === undefined) return;
    const folder = this.trusted(hookFolder(this.folder, name));
    const path = join(folder, UNTIL_DONE_FILE);
    attempt('write', path, () => {
      makeFolders(folder);
      writeOwnFile(path, `${version}\n`);
    });
  }

  /** True if the list is not of `main`, and the session's `main` has one, too; false if nobody can tell. */
  async isOfSubagent(list: TodoList): Promise<boolean> {
    const { session = '', agent = DEFAULT_AGENT } = this.#names.get(list) ?? {};
    // `main@1` and `main@2` belong to two independent sessions of a harness.
    const main = agent.replace(/^[^@]*/, DEFAULT_AGENT);
    if (agent === main) return false;
    try {
      const found = await this.storage.find(sessionKey(session));
      return found.some(({ key }) => key === listKey({ session, agent: main }));
    } catch {
      return false;
    }
  }
}

/** Agents' names that a line can contain as they are. */
const PLAIN = /^[\w@.-]+$/;
/** A work tree may have hundreds of old sessions. */
const MOST_LISTS_READ = 10;

/** `TodoWrite --until-done`, in the hook's folder of the list. */
const UNTIL_DONE_FILE = 'until-done';

/** True if the request still holds: once a list is finished, the next one is another. */
export function isUntilDone(folder: string, store: TodoList): boolean {
  let since: number;
  try {
    since = Number(readOwnFile(join(folder, UNTIL_DONE_FILE)).toString());
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  for (const { version, items } of store.newestFirst()) {
    if (!items.some(isOpen)) return version < since;
    if (version <= since) break;
  }
  return true;
}
