import { join } from 'node:path';
import { attempt, errorCode } from '../base/command/state-error.ts';
import type { Settings } from '../base/settings/settings.ts';
import { makeFolders, readOwnFile, writeOwnFile } from '../base/system/files.ts';
import { ListHome } from '../lists/list-home.ts';
import { hookFolder, type ListName, listKey, sessionKey } from '../lists/list-paths.ts';
import { DEFAULT_AGENT, USER } from '../lists/place.ts';
import { isOpen } from './todo-fields.ts';
import { TodoList, todoPlace } from './todo-store.ts';
import { leftBehind, type OtherList } from './todo-version.ts';

/** The todo lists of a process, in files or on a server. */
export class TodoLists extends ListHome {
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
      list.leftBehind = async () => leftBehind(await this.#ofOtherSessions(name));
    }
    this.#lists.set(key, list);
    this.#names.set(list, name);
    return list;
  };

  /** @param begins called before the first version is written to files. */
  openFound(key: string, author: string, begins?: () => void): TodoList {
    const { history } = this.settings;
    const place = todoPlace(this.lists, key, { author, history, begins });
    return new TodoList(() => new Date(), place);
  }

  /** For a person: the session's list that was changed last and can be read; undefined if it has none. */
  async newest(session: string): Promise<{ list: TodoList; agent: string } | undefined> {
    const found = await this.lists.find(sessionKey(session));
    const reading = found.map(async ({ key, path: [, , agent = ''] }) => {
      const list = this.openFound(key, USER);
      return { list, agent, at: +(await list.read()).updatedAt };
    });
    const read = await Promise.allSettled(reading);
    const readable = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    return readable.sort((a, b) => b.at - a.at)[0];
  }

  /** The lists of the same agent of other sessions of the harness, newest first. */
  async #ofOtherSessions({ session, agent: own }: ListName): Promise<OtherList[]> {
    const start = own.slice(0, own.lastIndexOf('@') + 1);
    const found = (await this.lists.find(sessionKey(session))).flatMap((one) => {
      const agent = one.path.at(-1) ?? '';
      const isOther = agent.startsWith(start) && agent !== own && PLAIN.test(agent);
      return isOther ? [{ agent, key: one.key, changedAt: one.changedAt ?? 0 }] : [];
    });
    found.sort((one, other) => other.changedAt - one.changedAt);
    const lists: OtherList[] = [];
    for (const { agent, key } of found.slice(0, MOST_OTHERS)) {
      const list = await this.openFound(key, own).readToReplace();
      lists.push({ agent, list });
    }
    return lists;
  }

  /** Tells the hook that the agent should not stop before its list is finished, from this version on. */
  setUntilDone(list: TodoList, version: number): void {
    const name = this.#names.get(list);
    if (name === undefined) return;
    const folder = this.checked(hookFolder(this.folder, name));
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
      const found = await this.lists.find(sessionKey(session));
      return found.some(({ key }) => key === listKey({ session, agent: main }));
    } catch {
      return false;
    }
  }
}

/** Agents' names that a line can contain as they are. */
const PLAIN = /^[\w@.-]+$/;
/** A work tree may have hundreds of old sessions. */
const MOST_OTHERS = 10;

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
