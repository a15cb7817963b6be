import { CommandType } from '../command/agent-command.ts';
import { noteLines } from '../command/notes.ts';
import type { Environment } from '../environment.ts';
import { Replay } from '../guidance/replay.ts';
import { LINE_RULES } from '../guidance/rules.ts';
import { TASK_RULES } from '../guidance/task-rules.ts';
import { plainReport, plainTaskReport } from '../panel/plain-report.ts';
import { printable } from '../panel/render-list.ts';
import { renderLists } from '../panel/render-lists.ts';
import { type Theme, themeFor } from '../panel/theme.ts';
import { parseLiteralCommand } from '../router/literal-command.ts';
import { readSettings, type Settings } from '../settings.ts';
import { pathName } from '../state/path-name.ts';
import { nextRenewal } from '../tasks/lease.ts';
import { signOfLife } from '../tasks/news.ts';
import type { TaskContext } from '../tasks/task-command.ts';
import { taskContext } from '../tasks/task-context.ts';
import { TaskStore } from '../tasks/task-store.ts';
import { type TaskRow, taskView } from '../tasks/task-view.ts';
import { truncate } from '../terminal/text.ts';
import { TodoLists } from '../todo/todo-lists.ts';
import type { TodoStore, TodoVersion } from '../todo/todo-store.ts';

/** Where a prompt is, and the terminal that it is on. */
export interface Prompt {
  readonly environment: Environment;
  readonly directory: string;
  readonly columns: number;
  readonly rows: number;
}

/** One line that was run at the prompt, and the versions of the lists after it; undefined for no list. */
export interface PromptCommand {
  /** Empty if the shell's history does not have it. */
  readonly line: string;
  readonly exitCode: number;
  readonly todos: number | undefined;
  readonly tasks: number | undefined;
}

/** What guidance says after the last command, and after how many more it may have something to say; -1: never. */
interface PromptGuidance {
  readonly said: readonly string[];
  readonly due: number;
}

/** The versions of the lists that were there at one prompt; undefined for no list. */
type Versions = Pick<PromptCommand, 'todos' | 'tasks'>;

/** No list goes without a reminder for longer. */
const FARTHEST_LOOK = 250;
const AGENT_COMMAND = { has: (name: string) => /^(Todo(Read|Write)|Task[A-Z][a-z]+)$/.test(name) };
const MOST_TITLE_COLUMNS = 60;
/** Terminals that have a title to set. */
const HAS_TITLE =
  /^(alacritty|contour|foot|ghostty|gnome|iterm|kitty|konsole|rxvt|screen|st|tmux|vte|wezterm|xterm)/i;

/** The lists of the place where a prompt is, and what is shown of them there. */
export class PromptLists {
  readonly theme: Theme;
  readonly #prompt: Prompt;
  readonly #settings: Settings;
  readonly #lists: TodoLists;
  readonly #context: TaskContext;
  readonly #store: TodoStore;
  readonly #todos: TodoVersion;
  readonly #taskStore: TaskStore;
  readonly #tasks: readonly TaskRow[];

  constructor(prompt: Prompt) {
    const { environment, directory } = prompt;
    const reading = readSettings(environment, directory);
    this.#prompt = prompt;
    this.theme = themeFor({ isTTY: true }, environment);
    this.#settings = reading.settings;
    this.#lists = new TodoLists(environment, directory, reading.settings);
    this.#context = taskContext({
      environment,
      directory: () => directory,
      settings: () => reading,
      lists: () => this.#lists,
    });
    this.#store = this.#lists.open({}).shown;
    this.#todos = this.#store.get();
    this.#taskStore = this.#context.open(undefined, reading.settings);
    this.#tasks = taskView(this.#taskStore).rows();
  }

  /** The panel, where a prompt takes this many rows; a list of todos that are all completed may be folded to one line. */
  rows(promptRows = 1, isFolded = false): string[] {
    const { columns, rows } = this.#prompt;
    const options = { columns, rows: rows + 1 - promptRows, theme: this.theme };
    return renderLists(this.#todos, [], this.#tasks, options, isFolded);
  }

  get isDone(): boolean {
    return this.#todos.items.every(({ status }) => status === 'completed');
  }

  /** What the terminal's title says while a command runs: `3/8 Fixing login`; empty if nothing is open. */
  get title(): string {
    const { items } = this.#todos;
    if (this.isDone || !HAS_TITLE.test(this.#prompt.environment.TERM ?? '')) return '';
    const done = items.filter(({ status }) => status === 'completed').length;
    const active = items.find(({ status }) => status === 'in_progress')?.activeForm ?? '';
    const title = printable(`${done}/${items.length} ${active}`, this.theme);
    return truncate(title, MOST_TITLE_COLUMNS, this.theme.ellipsis);
  }

  /** What has changed since these versions, a line of words for each list. */
  report(before: Versions): string[] {
    const was = this.#store.history().find(({ version }) => version === before.todos);
    const todos = plainReport({ items: was?.items ?? [] }, this.#todos);
    // Of a large list of tasks no older state is kept as such; the summary says where it stands.
    const isChanged = before.tasks !== this.#taskStore.get().version;
    const tasks = isChanged ? plainTaskReport([], this.#tasks) : '';
    return [todos, tasks].filter(Boolean);
  }

  /** Which versions of these lists the paths of some heads name. */
  versionsIn(heads: string): Versions {
    const { session, agent } = this.#lists.name({});
    const list = this.#settings.taskList ?? session;
    const versionOf = (folder: string) => {
      const start = `/${folder}/head-`;
      const at = heads.indexOf(start);
      return at < 0 ? undefined : Number.parseInt(heads.slice(at + start.length), 10);
    };
    return {
      todos: versionOf(`${pathName(session)}/${pathName(agent)}`),
      tasks: versionOf(`tasks~/${pathName(list)}`),
    };
  }

  /**
   * What others did to tasks of the team that concerns the agent of this shell, where it has a name: the lines, and after how
   * many seconds the next line is to be a sign of life.
   */
  async newsOfTeam(): Promise<{ lines: readonly string[]; renewal: number | undefined }> {
    const { agent } = this.#settings;
    if (agent === undefined) return { lines: [], renewal: undefined };
    const notes = await signOfLife(this.#context, this.#settings);
    const ms = nextRenewal(this.#taskStore.get().graph, agent);
    return {
      lines: noteLines(notes).split('\n').filter(Boolean),
      renewal: ms === undefined ? undefined : Math.ceil(ms / 1000),
    };
  }

  /** What guidance says after the last of these commands. */
  async guidance(commands: readonly PromptCommand[]): Promise<PromptGuidance> {
    const settings = this.#settings;
    if (settings.guidance === 'off') return { said: [], due: -1 };
    const kept = this.#store.history();
    const versions = new Map(kept.map((version) => [version.version, version]));
    const lastTaskChange = commands.findLastIndex(({ tasks }) => tasks !== commands.at(-1)?.tasks);
    let index = 0;
    const noTasks = new TaskStore();
    const replay = new Replay({
      rules: [...LINE_RULES, ...TASK_RULES],
      settings: () => settings,
      // Of the tasks only the last state is kept.
      tasks: {
        ...this.#context,
        open: () => (index > lastTaskChange ? this.#taskStore : noTasks),
      },
    });
    let said: readonly string[] = [];
    let last: number | undefined;
    for (const { line, exitCode, todos } of commands) {
      const list = todos === undefined ? undefined : versions.get(todos);
      const past = { line, type: typeOf(line), exitCode, list };
      said = index < commands.length - 1 ? replay.past(past) : await replay.latest(past);
      last = list?.version ?? last;
      index++;
    }
    if (last !== this.#todos.version) replay.found(this.#todos);
    let due = -1;
    for (let more = 1; more <= FARTHEST_LOOK && due < 0; more++) {
      if (replay.past({ line: '', exitCode: 0 }).length > 0) due = more;
    }
    return { said, due };
  }
}

function typeOf(line: string): CommandType {
  return parseLiteralCommand(line, AGENT_COMMAND)
    ? CommandType.AGENT_SHELL_COMMAND
    : CommandType.NATIVE_SHELL_COMMAND;
}
