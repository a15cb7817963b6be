import { DamagedVersion, errorCode, StateError } from '../base/command/state-error.ts';
import { orElse } from '../base/system/files.ts';
import type { FoundList } from '../lists/storage.ts';
import { taskPlace, taskRows } from '../tasks/task-store.ts';
import { TodoHome } from '../todo/todo-home.ts';
import { readablePlace } from './follow.ts';
import type { FoundSession, SessionList } from './model.ts';

/** The label of a team's list among its session's agents. */
export const TEAM = '(team)';

function sessionKeyOf(key: string): string {
  return isTeamKey(key) ? key.replace('tasks/', 'todos/') : key.slice(0, key.lastIndexOf('/'));
}

export function isTeamKey(key: string): boolean {
  return key.startsWith('tasks/');
}

/** A list changed more recently may be in use. */
const BUSY_MS = 60_000;
const READ_AT_ONCE = 8;

/** All agents' lists, in files or on a server. */
export class WatchedLists extends TodoHome {
  /** The last readings, valid while the lists stay at their versions. */
  readonly #known = new Map<string, SessionList & Pick<FoundList, 'changedAt'>>();

  constructor(environment = process.env) {
    super(environment, process.cwd());
  }

  /** The sessions of at most `most` lists, most recently changed first, unreadable ones included; folders closed to us are skipped. */
  async find(most: number): Promise<FoundSession[]> {
    const all = [...(await this.storage.find('todos')), ...(await this.storage.find('tasks'))];
    const byTime = all.map((list) => ({ list, at: list.changedAt ?? 0 }));
    byTime.sort((a, b) => b.at - a.at);
    const found: SessionList[] = [];
    // A server does not tell when a list was changed: then all are read.
    const isWanted = () => found.length < most || byTime[0]?.list.changedAt === undefined;
    while (byTime.length > 0 && isWanted()) {
      const some = byTime.splice(0, READ_AT_ONCE).map(({ list }) => this.#read(list));
      found.push(...(await Promise.all(some)).filter((list) => list !== undefined));
    }
    found.sort((a, b) => +b.newest.updatedAt - +a.newest.updatedAt);
    const sessions = new Map<string, FoundSession>();
    for (const list of found.slice(0, most)) {
      const key = sessionKeyOf(list.key);
      const [first = list, ...others] = [...(sessions.get(key)?.lists ?? []), list];
      sessions.set(key, { session: list.session, key, lists: [first, ...others] });
    }
    return [...sessions.values()];
  }

  /** Removes lists. One that is in use, or that cannot be removed, keeps no other. */
  async removeAll(lists: readonly SessionList[]) {
    const kept: SessionList[] = [];
    const errors: StateError[] = [];
    for (const list of lists) {
      try {
        if (!(await this.remove(list))) kept.push(list);
      } catch (error) {
        if (!(error instanceof StateError)) throw error;
        errors.push(error);
      }
    }
    return { removed: lists.length - kept.length - errors.length, kept, errors };
  }

  /** @returns false if someone is writing it. */
  async remove({ key, newest }: SessionList): Promise<boolean> {
    const isBusy = Date.now() - +newest.updatedAt < BUSY_MS;
    return !isBusy && (await this.storage.remove(key, newest.version));
  }

  async #read(list: FoundList): Promise<SessionList | undefined> {
    const known = this.#known.get(list.key);
    // Something else may have taken its place.
    const version = orElse(() => list.version, 0);
    const isSame = known?.newest.version === version && known.changedAt === list.changedAt;
    if (isSame && (known.damage ?? known.unreadable) === undefined) return known;
    const newest = await this.#newestOf(list, version);
    if (newest === undefined) return undefined;
    const [, session = '', agent = TEAM] = list.path;
    const found = { session, agent, key: list.key, ...newest };
    this.#known.set(list.key, { ...found, changedAt: list.changedAt });
    return found;
  }

  async #newestOf(
    list: FoundList,
    version: number,
  ): Promise<Omit<SessionList, 'session' | 'agent' | 'key'> | undefined> {
    const { storage } = this;
    try {
      const found = await (isTeamKey(list.key)
        ? taskPlace(storage, list.key, '')
        : readablePlace(storage, list.key)
      ).load();
      if (found === undefined) return undefined;
      const { content, at: updatedAt, damage } = found;
      const items =
        'tasks' in content
          ? taskRows(content).map(({ status, subject, activeForm = subject }) => ({
              status,
              activeForm,
            }))
          : content;
      return { newest: { version: found.version, items, updatedAt }, damage };
    } catch (error) {
      // A server that does not answer may have the list.
      if (!(error instanceof StateError) || error.isOfReading) throw error;
      if (errorCode(error) === 'EACCES') return undefined;
      const updatedAt = new Date(list.changedAt ?? 0);
      const why = error instanceof DamagedVersion ? 'damage' : 'unreadable';
      return { newest: { version, items: [], updatedAt }, [why]: error.message };
    }
  }
}
