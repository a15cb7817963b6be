import { StateError, UnnamedList } from '../base/command/state-error.ts';
import { counted, safeText } from '../base/safe-text.ts';
import { type SettingsSource, settingsOfCalls } from '../base/settings/settings.ts';
import { type ListName, pathName, sessionKey } from '../lists/list-paths.ts';
import { DEFAULT_AGENT, USER } from '../lists/place.ts';
import { agentName, sessionName } from '../screen/panel/look.ts';
import { openTaskList, type TaskVersion } from '../tasks/task-store.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { type Following, followLists, followTasks } from './follow.ts';
import type { FoundSession, Known, TaskRequest, WriteRequest } from './model.ts';
import type { WatchedLists } from './watched-lists.ts';
import { type ChangeOutcome, writeList, writeTask } from './writes.ts';

/** The most lists of other sessions that are read. */
const MOST_FOUND = 200;

/** Follows one session after another: its lists, and its team's tasks. */
export class Sources {
  readonly #watched: WatchedLists;
  readonly #changed: () => void;
  readonly #settings: SettingsSource = settingsOfCalls(process.env, () => process.cwd());
  #session: string | undefined;
  #key: string | undefined;
  #team: string | undefined;
  #teamKey: string | undefined;
  #lists: Following<TodoVersion> | undefined;
  #tasks: Following<TaskVersion> | undefined;
  #found: readonly FoundSession[] = [];
  #finding: Promise<void> | undefined;
  /** Why the last search failed, if it did. */
  #notFound: unknown;

  /** @param changed called at least once when there is something new. */
  constructor(watched: WatchedLists, changed: () => void) {
    this.#watched = watched;
    this.#changed = changed;
  }

  /** Completes a partial list name. On a server, the session has no default. */
  name({ session, agent }: Partial<ListName>): { session: string | undefined; agent: string } {
    try {
      return this.#watched.name({ session, agent });
    } catch (error) {
      if (!(error instanceof UnnamedList)) throw error;
      const { settings } = this.#settings();
      return { session: undefined, agent: agent ?? settings.agent ?? DEFAULT_AGENT };
    }
  }

  followOwn(session: string | undefined, taskList: string | undefined): void {
    this.follow(session, undefined, taskList ?? this.#settings().settings.taskList);
  }

  /**
   * @param session undefined to follow only the team's tasks.
   * @param taskList the list of tasks, if it is not the session's own.
   */
  follow(
    session: string | undefined,
    key = session && sessionKey(session),
    taskList?: string,
  ): void {
    this.end();
    const { storage } = this.#watched;
    this.#session = session;
    this.#key = key;
    this.#team = taskList ?? session;
    this.#teamKey = taskList ? this.#watched.teamKey(taskList) : key?.replace('todos/', 'tasks/');
    const tell = {
      changed: this.#changed,
      reached: this.#changed,
      failed: (error: unknown) => this.#failed(error),
    };
    this.#lists = key ? followLists(storage, key, tell, 'all') : undefined;
    this.#tasks = this.#teamKey ? followTasks(storage, this.#teamKey, tell, 'all') : undefined;
  }

  /** Looks for the newest sessions, one search at a time. */
  find(): Promise<void> {
    this.#finding ??= this.#findOnce().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  async #findOnce(): Promise<void> {
    try {
      const found = await this.#watched.find(MOST_FOUND);
      this.#found = found.map((one) => ({ ...one, session: shortPath(one.session) }));
      this.#notFound = undefined;
      this.#changed();
    } catch (error) {
      this.#notFound = error;
      this.#failed(error);
    }
  }

  get known(): Known {
    const [lists, tasks] = [this.#lists?.known ?? [], this.#tasks?.known ?? []];
    const damaged = [...lists, ...tasks].map(({ versions: [{ damage }] }) => damage);
    const problems = [...damaged, this.#notFound, this.#tasks?.failure, this.#lists?.failure];
    const problem = problems.findLast((one) => one !== undefined) as Error | string | undefined;
    return {
      session: this.#session && shortPath(this.#session),
      team: this.#team && shortPath(this.#team),
      key: this.#key,
      lists,
      tasks: tasks[0]?.versions ?? [],
      found: this.#found,
      isReached: this.#lists?.hasLooked ?? true,
      problem: problem && safeText(typeof problem === 'string' ? problem : problem.message),
    };
  }

  /** Returns a message for the user. */
  async remove({ session, lists }: FoundSession): Promise<string> {
    const { removed, kept, errors } = await this.#watched.removeAll(lists);
    // One that began earlier may have seen what is removed.
    await this.#finding;
    await this.find();
    const where = sessionName(session)[0];
    const others = removed > 0 ? `; removed ${counted(removed, 'list')}` : '';
    const [error] = errors;
    if (error) return safeText(`Not removed: ${error.message}${others}`);
    if (kept.length === 0) return safeText(`Removed the lists of ${where}`);
    const names = kept.map(({ agent }) => agentName(agent)).join(', ');
    return safeText(`In use, left alone: ${names} in ${where}${others}`);
  }

  async write(request: WriteRequest): Promise<ChangeOutcome> {
    const known = this.#lists?.known.find(({ agent }) => agent === request.agent);
    const key = known?.key ?? `${this.#key}/${pathName(request.agent)}`;
    const list = this.#watched.openFound(key, USER);
    return this.#seen(await writeList(list, this.#settings, request));
  }

  async changeTask(request: TaskRequest): Promise<ChangeOutcome> {
    const key = this.#teamKey;
    if (key === undefined) return { refused: 'No team is named here', isOlder: false };
    const store = openTaskList(this.#watched, key, USER);
    return this.#seen(await writeTask(store, this.#watched, this.#settings, request));
  }

  end(): void {
    this.#lists?.end();
    this.#tasks?.end();
  }

  /** The next change builds on the last one. */
  async #seen(written: ChangeOutcome): Promise<ChangeOutcome> {
    const isNew = !('refused' in written) || written.isOlder;
    if (isNew) await Promise.all([this.#lists?.look(), this.#tasks?.look()]);
    return written;
  }

  #failed(error: unknown): void {
    if (!(error instanceof StateError)) throw error;
    this.#changed();
  }
}

/** `~/work/app` for `/home/ann/work/app`. */
export function shortPath(path: string): string {
  const home = process.env.HOME || '/';
  return home !== '/' && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path;
}
