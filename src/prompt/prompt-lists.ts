import { noteLines } from '../base/command/replies.ts';
import { limitProgram } from '../base/command/time-limit.ts';
import type { Environment } from '../base/environment.ts';
import { readSettings, type Settings } from '../base/settings/settings.ts';
import { tasksInProgress } from '../guidance/followed-tasks.ts';
import { saidAfterLine } from '../guidance/reminders.ts';
import { LINE_RULES, TASK_RULES } from '../guidance/rules.ts';
import { WRITES_LIST } from '../guidance/work.ts';
import { shortNames } from '../screen/panel/look.ts';
import { plainReport, plainTaskReport } from '../screen/panel/plain-report.ts';
import { type RenderOptions, renderLists, rewritten } from '../screen/panel/render-lists.ts';
import { ShownTimes } from '../screen/panel/shown-times.ts';
import { itemTime, type StatusTimes, statusTimes } from '../screen/panel/status-times.ts';
import { type Theme, themeFor } from '../screen/panel/theme.ts';
import { type TaskContext, teamNews, teamOf } from '../tasks/task-context.ts';
import { type TaskRow, type TaskStore, type TaskVersion, taskView } from '../tasks/task-store.ts';
import type { Item } from '../todo/todo-fields.ts';
import { TodoHome } from '../todo/todo-home.ts';
import type { TodoList } from '../todo/todo-store.ts';
import type { TodoVersion } from '../todo/todo-version.ts';

export interface Prompt {
  readonly environment: Environment;
  readonly directory: string;
  readonly columns: number;
  readonly rows: number;
}

interface PromptFinding {
  readonly prompt: Prompt;
  readonly settings: Settings;
  readonly home: TodoHome;
  readonly context: TaskContext;
  readonly list: TodoList;
  /** Newest first. */
  readonly versions: Iterable<TodoVersion>;
  readonly tasks: TaskStore;
}

/** The rows to highlight, and how many items were added and removed. */
export type Changes = Pick<RenderOptions, 'rewritten'> & { readonly fresh: ReadonlySet<unknown> };

const LONGEST_WAIT_SECONDS = 1;

export class PromptLists {
  readonly theme: Theme;
  readonly #found: PromptFinding;
  readonly #todos: TodoVersion;
  readonly #tasks: readonly TaskRow[];
  readonly #versions: Versions;
  #kept: readonly TodoVersion[] | undefined;

  private constructor(found: PromptFinding) {
    const { prompt, list, tasks } = found;
    this.#found = found;
    this.theme = themeFor({ isTTY: true }, prompt.environment);
    this.#todos = list.get();
    this.#tasks = taskView(tasks).rows();
    this.#versions = { todos: this.#todos.version, tasks: tasks.get().version };
  }

  /** @throws StateError if the lists are on a server that does not answer in time. */
  static async open(prompt: Prompt): Promise<PromptLists> {
    const { environment, directory } = prompt;
    const { settings: own, warnings } = readSettings(environment, directory);
    const stateTimeout = Math.min(own.stateTimeout, LONGEST_WAIT_SECONDS);
    const settings = { ...own, stateTimeout };
    limitProgram(settings);
    const home = new TodoHome(environment, directory, { settings, warnings });
    const context = teamOf(home);
    const list = home.open({});
    const tasks = context.open(undefined, settings);
    try {
      const [versions] = await Promise.all([list.versions(), list.read(), tasks.read()]);
      return new PromptLists({ prompt, settings, home, context, list, versions, tasks });
    } catch (error) {
      await home.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#found.home.close();
  }

  /**
   * The versions in a form that bash can find without Node: the paths of the lists' head files, one a line. For lists on a
   * server, Node makes up such paths.
   */
  get heads(): string {
    const starts = this.#headStarts;
    return `${starts.todos}${this.#versions.todos}-\n${starts.tasks}${this.#versions.tasks}-\n`;
  }

  versionsIn(heads: string): Versions {
    const versionAfter = (start: string) => {
      const at = heads.indexOf(start);
      return at < 0 ? 0 : Number.parseInt(heads.slice(at + start.length), 10);
    };
    const { todos, tasks } = this.#headStarts;
    return { todos: versionAfter(todos), tasks: versionAfter(tasks) };
  }

  get #headStarts() {
    const { home, settings } = this.#found;
    return home.headStarts(settings);
  }

  /** Newest first. */
  get #history(): readonly TodoVersion[] {
    this.#kept ??= [...this.#found.versions];
    return this.#kept;
  }

  rows(changes?: Changes, isFolded = false): string[] {
    const { columns, rows } = this.#found.prompt;
    const now = new ShownTimes(Date.now());
    const { of } = this.#times;
    const timeOf = (item: Item) =>
      itemTime(item, of.get(item), ({ isLonger, since }) =>
        isLonger ? '' : `since ${now.at(since)}`,
      );
    const options = { columns, rows, theme: this.theme, timeOf, ...changes };
    return renderLists(this.#todos, [], this.#tasks, options, isFolded);
  }

  get #times(): StatusTimes {
    return statusTimes([this.#todos, ...this.#history.slice(1)]);
  }

  changedSince(before: Versions): Changes {
    const todos = this.#history.find(({ version }) => version === before.todos);
    const change = todos && rewritten(todos.items, this.#todos.items);
    return { fresh: this.#freshSince(todos, before.tasks), rewritten: change };
  }

  /** The items and tasks whose status has changed since. New ones do not count. */
  #freshSince(todos: TodoVersion | undefined, tasks: number): ReadonlySet<unknown> {
    const since = +(todos?.updatedAt ?? Number.POSITIVE_INFINITY);
    const { of } = this.#times;
    const isFresh = (item: Item) => (of.get(item)?.changed ?? 0) > since;
    const fresh = new Set<unknown>(this.#todos.items.filter(isFresh));
    if (tasks === 0 || tasks === this.#versions.tasks) return fresh;
    let graph: TaskVersion['graph'] | undefined;
    for (const version of this.#found.tasks.newestFirst()) {
      if (version.version === tasks) graph = version.graph;
      if (version.version <= tasks) break;
    }
    for (const row of this.#tasks) {
      const was = graph?.tasks.get(row.id);
      if (was && was.status !== row.status) fresh.add(row);
    }
    return fresh;
  }

  /** Changes of the latest write of the list, or of the tasks. */
  latestOf(written: keyof Versions): Changes {
    return this.changedSince({ ...this.#versions, [written]: this.#versions[written] - 1 });
  }

  get isDone(): boolean {
    return this.#todos.items.every(({ status }) => status === 'completed');
  }

  /** The changes since these versions in words, one line per list. */
  report(before: Versions): string[] {
    const was = this.#history.find(({ version }) => version === before.todos);
    const todos = plainReport({ items: was?.items ?? [] }, this.#todos);
    // For tasks, only the summary: older states are costly to rebuild.
    const isChanged = before.tasks !== this.#versions.tasks;
    const tasks = isChanged ? plainTaskReport([], this.#tasks) : '';
    return [todos, tasks].filter(Boolean);
  }

  /** Unread notices for this shell's agent, if it has a name. */
  async newsOfTeam(): Promise<readonly string[]> {
    const { context, settings } = this.#found;
    if (settings.agent === undefined) return [];
    const notes = await teamNews(context, settings);
    return shortNames(noteLines(notes)).split('\n').filter(Boolean);
  }

  /** Guidance after the last of these commands. */
  guidance(commands: readonly PromptCommand[]): string {
    const [last, before] = [commands.at(-1), commands.at(-2)];
    const itemsOf = (version?: number) =>
      this.#history.find((one) => one.version === version)?.items;
    const isWritten =
      before !== undefined && last?.todos !== before.todos && WRITES_LIST.test(last?.line ?? '');
    const { settings, tasks } = this.#found;
    const { agent } = settings;
    const kept = {
      items: itemsOf(last?.todos) ?? [],
      itemsBefore: isWritten ? itemsOf(before.todos) : undefined,
      lines: commands,
      commandsSinceWrite: linesSince(commands, 'todos', (line) => WRITES_LIST.test(line)),
      tasks: {
        mine: agent === undefined ? [] : tasksInProgress(tasks, agent),
        commandsSinceChange: linesSince(commands, 'tasks', () => true),
      },
    };
    return saidAfterLine(kept, [...LINE_RULES, ...TASK_RULES], settings);
  }
}

/** Versions of the todo list and of the list of tasks; 0 for no list. */
interface Versions {
  readonly todos: number;
  readonly tasks: number;
}

/** A line that was run at the prompt, and the lists' versions after it. */
export interface PromptCommand extends Versions {
  /** Empty if it is not in the shell's history. */
  readonly line: string;
  readonly exitCode: number;
}

/** How many commands have ended since that version was made, not counting the command that made it. */
function linesSince(
  commands: readonly PromptCommand[],
  which: keyof Versions,
  changes: (line: string) => boolean,
): number {
  const now = commands.at(-1)?.[which];
  const since = commands.slice(commands.findLastIndex((command) => command[which] !== now) + 1);
  return since.length - (changes(since[0]?.line ?? '') ? 1 : 0);
}
