import { noteLines } from '../command/replies.ts';
import type { Environment } from '../environment.ts';
import { plainReport, plainTaskReport } from '../panel/plain-report.ts';
import { renderLists } from '../panel/render-lists.ts';
import { type Theme, themeFor } from '../panel/theme.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { ListName } from '../state/list-paths.ts';
import { type TaskContext, teamNews, teamOf } from '../tasks/task-context.ts';
import { type TaskRow, type TaskStore, type TaskVersion, taskView } from '../tasks/task-store.ts';
import { pairItems } from '../todo/pair-items.ts';
import { TodoLists } from '../todo/todo-lists.ts';
import type { TodoList } from '../todo/todo-store.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { HeadNames, type Versions } from './head-names.ts';
import { type PromptCommand, promptGuidance } from './prompt-guidance.ts';

/** The place of a prompt, and its terminal. */
export interface Prompt {
  readonly environment: Environment;
  readonly directory: string;
  readonly columns: number;
  readonly rows: number;
}

/** The lists that were found. */
interface Found {
  readonly name: ListName;
  /** The list of the team's tasks. */
  readonly team: string;
  readonly context: TaskContext;
  readonly list: TodoList;
  /** Its versions, newest first, if they had to be waited for. */
  readonly kept: readonly TodoVersion[] | undefined;
  readonly tasks: TaskStore;
  readonly close: () => Promise<void>;
}

export interface RowsLook {
  readonly isFolded?: boolean;
  /** Items and tasks whose status has just changed; they stand out. */
  readonly fresh?: ReadonlySet<unknown> | undefined;
}

const NOTHING: ReadonlySet<unknown> = new Set();
/** The longest a prompt may wait for a server. */
const LONGEST_WAIT_SECONDS = 1;
const JUST_NOW_MS = 2000;

/** The lists for a prompt's place, and what the prompt shows of them. */
export class PromptLists {
  readonly theme: Theme;
  readonly #prompt: Prompt;
  readonly #settings: Settings;
  readonly #headNames: HeadNames;
  readonly #context: TaskContext;
  /** The todo list's kept versions, newest first. */
  readonly #history: () => readonly TodoVersion[];
  readonly #todos: TodoVersion;
  readonly #taskStore: TaskStore;
  readonly #tasks: readonly TaskRow[];
  readonly #versions: { readonly todos: number; readonly tasks: number };
  readonly #close: () => Promise<void>;

  private constructor(prompt: Prompt, settings: Settings, found: Found) {
    this.#prompt = prompt;
    this.theme = themeFor({ isTTY: true }, prompt.environment);
    this.#settings = settings;
    this.#headNames = new HeadNames(found.name, found.team);
    this.#context = found.context;
    const { list, tasks, kept, close } = found;
    this.#history = () => kept ?? (list.history() as TodoVersion[]);
    this.#todos = list.get();
    this.#taskStore = tasks;
    this.#tasks = taskView(tasks).rows();
    this.#versions = { todos: this.#todos.version, tasks: tasks.get().version };
    this.#close = close;
  }

  /** @throws StateError if the lists are on a server that does not answer in time. */
  static async open(prompt: Prompt): Promise<PromptLists> {
    const { environment, directory } = prompt;
    const { settings: own, warnings } = readSettings(environment, directory);
    const stateTimeout = Math.min(own.stateTimeout, LONGEST_WAIT_SECONDS);
    const settings = { ...own, stateTimeout };
    const lists = new TodoLists(environment, directory, settings);
    const context = teamOf(lists, { settings: () => ({ settings, warnings }) });
    const name = lists.name({});
    const team = settings.taskList ?? lists.teamSession(settings);
    const list = lists.open({});
    const tasks = context.open(undefined, settings);
    const of = { name, team, context, list, tasks, close: () => lists.close() };
    try {
      // What is near is read when it is needed.
      const [kept] = list.isFar
        ? await Promise.all([list.history(), list.read(), tasks.read()])
        : [undefined];
      return new PromptLists(prompt, settings, { ...of, kept });
    } catch (error) {
      await lists.close();
      throw error;
    }
  }

  /** Ends the connections to a server. */
  close(): Promise<void> {
    return this.#close();
  }

  /** The paths of the lists' heads. */
  get heads(): string {
    return this.#headNames.of(this.#versions);
  }

  /** The versions that these head paths name. */
  versionsIn(heads: string): Versions {
    return this.#headNames.read(heads);
  }

  /** The panel. */
  rows({ isFolded = false, fresh = NOTHING }: RowsLook = {}): string[] {
    const { columns, rows } = this.#prompt;
    const options = { columns, rows, theme: this.theme, fresh };
    return renderLists(this.#todos, [], this.#tasks, options, isFolded);
  }

  /** The items and tasks whose status differs from these versions. New ones do not count. */
  changedSince(before: Versions): ReadonlySet<unknown> {
    const fresh = new Set<unknown>();
    const todos = this.#history().find(({ version }) => version === before.todos);
    for (const { before: was, after: is } of todos
      ? pairItems(todos.items, this.#todos.items)
      : []) {
      if (was && is && was.status !== is.status) fresh.add(is);
    }
    if (before.tasks === undefined || before.tasks === this.#versions.tasks) return fresh;
    const { tasks } = before;
    // For lists on a server there is no history here.
    const store = this.#taskStore;
    const kept = store.isFar ? [] : (store.versions() as Iterable<TaskVersion>);
    let graph: TaskVersion['graph'] | undefined;
    for (const version of kept) {
      if (version.version === tasks) graph = version.graph;
      if (version.version <= tasks) break;
    }
    for (const row of this.#tasks) {
      const was = graph?.tasks.get(row.id);
      if (was && was.status !== row.status) fresh.add(row);
    }
    return fresh;
  }

  /** The same for a change made just now. */
  get justChanged(): ReadonlySet<unknown> {
    const { todos, tasks } = this.#versions;
    const isNew = Date.now() - +this.#todos.updatedAt < JUST_NOW_MS;
    return this.changedSince(isNew ? { todos: todos - 1, tasks } : { todos, tasks: tasks - 1 });
  }

  get isDone(): boolean {
    return this.#todos.items.every(({ status }) => status === 'completed');
  }

  /** What has changed since these versions, one line of words per list. */
  report(before: Versions): string[] {
    const was = this.#history().find(({ version }) => version === before.todos);
    const todos = plainReport({ items: was?.items ?? [] }, this.#todos);
    // For tasks, only the summary: older states are costly to rebuild.
    const isChanged = before.tasks !== this.#versions.tasks;
    const tasks = isChanged ? plainTaskReport([], this.#tasks) : '';
    return [todos, tasks].filter(Boolean);
  }

  /** What others did that concerns this shell's agent, if it has a name. */
  async newsOfTeam(): Promise<readonly string[]> {
    if (this.#settings.agent === undefined) return [];
    const notes = await teamNews(this.#context, this.#settings);
    return noteLines(notes).split('\n').filter(Boolean);
  }

  /** What guidance says after the last of these commands: nothing, unless this person asked for it by TODO_GUIDANCE=all. */
  async guidance(commands: readonly PromptCommand[]) {
    const [settings, context] = [this.#settings, this.#context];
    if (this.#prompt.environment.TODO_GUIDANCE?.trim() !== 'all') return { said: [], due: -1 };
    const [newest, kept, tasks] = [this.#todos, this.#history(), this.#taskStore];
    return promptGuidance({ settings, context, newest, kept, tasks }, commands);
  }
}
