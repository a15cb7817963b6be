import { FilePlace } from '../../src/lists/file-place.ts';
import { ENTRIES_KEPT, type LogEntry, LogPlace } from '../../src/lists/log-place.ts';
import { MemoryPlace } from '../../src/lists/place.ts';
import { ShownTimes } from '../../src/screen/panel/shown-times.ts';
import { createTheme, type Theme } from '../../src/screen/panel/theme.ts';
import { TASK_STEPS, type TaskStep } from '../../src/tasks/stored-tasks.ts';
import type { Task } from '../../src/tasks/task.ts';
import { createTasks, type NewTask } from '../../src/tasks/task-create.ts';
import type { TaskChanges } from '../../src/tasks/task-fields.ts';
import { TaskStore } from '../../src/tasks/task-store.ts';
import { updateTask } from '../../src/tasks/update-task.ts';
import type { Items, TodoItem } from '../../src/todo/todo-fields.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import type { TodoVersion } from '../../src/todo/todo-version.ts';
import { press } from '../../src/viewer/keys.ts';
import type { Known, KnownList, Page, ViewerState } from '../../src/viewer/model.ts';
import { render } from '../../src/viewer/render.ts';
import { withPage } from '../../src/viewer/shown.ts';
import type { Key } from '../../src/viewer/text-input.ts';
import { listFolder, taskListFolder } from '../helpers/list-folders.ts';
import { todos } from '../screen/panel/todos.ts';
import { LEADER } from '../tasks/tasks.ts';

/** In the local time zone. */
export const NOON = +new Date(2026, 4, 5, 12, 0, 0);

/** A list with one version for each of these, each so many seconds before noon. */
export function listOf(
  agent: string,
  ...writes: [secondsAgo: number, ...lines: string[]][]
): KnownList {
  return historyOf(
    agent,
    writes.map(([secondsAgo, ...lines]) => [secondsAgo, todos(...lines)]),
  );
}

export function historyOf(
  agent: string,
  writes: [secondsAgo: number, items: TodoItem[]][],
): KnownList {
  let now = 0;
  const store = new TodoStore(
    () => new Date(now),
    new MemoryPlace({ author: agent, history: 1000 }),
  );
  for (const [secondsAgo, items] of writes) {
    now = NOON - 1000 * secondsAgo;
    store.update(items);
  }
  return { agent, versions: store.history() as [TodoVersion, ...TodoVersion[]] };
}

/** Tasks from 1 on, each with its status since a minute before noon, and changed four seconds before. */
export function tasksOf(...tasks: Partial<Task>[]): Known['tasks'] {
  const whole = tasks.map(
    (task, index): Task => ({
      id: index + 1,
      subject: `task ${index + 1}`,
      description: '',
      status: 'pending',
      blocks: [],
      blockedBy: [],
      createdAt: '',
      updatedAt: new Date(NOON - 4000).toISOString(),
      ...task,
    }),
  );
  const graph = {
    nextId: whole.length + 1,
    tasks: new Map(whole.map((task) => [task.id, task])),
    by: 'ann',
  };
  return [{ version: 1, graph, at: new Date(NOON - 60_000) }];
}

/** The pages above the list. */
export const PAGES = {
  list: [],
  version: [{ name: 'list', version: 1, top: 0 }],
  agents: [{ name: 'agents', top: 0 }],
  board: [{ name: 'board', top: 0 }],
  history: [{ name: 'history', top: 0 }],
  taskHistory: [
    { name: 'board', top: 0 },
    { name: 'history', top: 0 },
  ],
  taskVersion: [
    { name: 'board', top: 0 },
    { name: 'board', version: 1, top: 0 },
  ],
  sessions: [{ name: 'sessions', top: 0 }],
  help: [{ name: 'help', top: 0 }],
} satisfies Record<string, Page[]>;

/** A viewer at noon, with keys to press and a screen to look at. */
export class TestViewer {
  state: ViewerState;
  now = NOON;
  readonly #theme: Theme;

  constructor(
    known: Partial<Known>,
    {
      columns = 60,
      rows = 20,
      page = 'list',
      theme = createTheme(),
      ...more
    }: Partial<ViewerState> & {
      page?: keyof typeof PAGES;
      theme?: Theme;
    } = {},
  ) {
    this.#theme = theme;
    this.state = {
      known: {
        session: '~/app',
        team: 'release',
        key: 'todos/app',
        lists: [],
        tasks: [],
        found: [],
        isReached: true,
        problem: undefined,
        ...known,
      },
      agent: undefined,
      awaited: 'main',
      pages: [{ name: 'list', top: 0 }, ...PAGES[page]] as Page[] as [Page],
      hidesCompleted: false,
      columns,
      rows,
      ...more,
    };
    this.rows();
  }

  /** Keys by name, or characters. */
  press(...keys: string[]): this {
    for (const name of keys) {
      const isCharacter = name.length === 1;
      const key: Key = { name: name.toLowerCase(), sequence: isCharacter ? name : '' };
      this.state = press(this.state, key);
      this.rows();
    }
    return this;
  }

  learn(known: Partial<Known>): this {
    this.state = { ...this.state, known: { ...this.state.known, ...known } };
    return this;
  }

  resize(columns: number, rows: number): this {
    this.state = { ...this.state, columns, rows };
    return this;
  }

  /** Without trailing blanks. */
  rows(): string[] {
    const times = new ShownTimes(this.now);
    const { rows, page, cursor } = render(this.state, this.#theme, times);
    this.cursor = cursor;
    this.state = withPage(this.state, page);
    this.untilChange = times.untilChange;
    return rows.map((row) => row.trimEnd());
  }

  untilChange = 0;
  cursor: { readonly x: number; readonly y: number } | undefined;

  /** The rows of the page's content. */
  body(): string[] {
    return this.rows()
      .slice(3, -1)
      .filter((row) => row !== '');
  }
}

export const STEPS = listOf(
  'main',
  [725, '> Analyze', '- Build'],
  [65, 'x Analyze', '> Build'],
  [4, 'x Analyze', '> Build', '- Ship it'],
);

export const LIST = listOf('main', [60, 'x a', '> b', '- c']);

export function linesOf(items: Items): string[] {
  const mark = { completed: 'x', in_progress: '>', pending: '-' };
  return items.map(({ status, content }) => `${mark[status]} ${content}`);
}

export const TASKS = tasksOf(
  { subject: 'Parse', status: 'completed', owner: 'ann' },
  { subject: 'Print', status: 'in_progress', activeForm: 'Printing', owner: 'bob', blocks: [3] },
  { subject: 'Ship', blockedBy: [2] },
  { subject: 'Tell', owner: 'ann' },
);

export function board(columns = 100): TestViewer {
  return new TestViewer({ tasks: TASKS }, { columns, page: 'board' });
}

export function storeOf(state: string, agent: string): TodoStore {
  const folder = listFolder(state, { session: 's', agent });
  return new TodoStore(undefined, new FilePlace({ folder, author: agent }));
}

/** Adds and changes tasks of the team of session `s` so many minutes ago, in the order of the calls. */
export function teamOf(state: string) {
  let now = new Date();
  const folder = taskListFolder(state, 's');
  const entries = new FilePlace<LogEntry<TaskStep>>({ folder, history: ENTRIES_KEPT });
  const store = new TaskStore(new LogPlace(entries, TASK_STEPS), () => now);
  return async (minutes: number, ...changes: (NewTask | TaskChanges)[]) => {
    now = new Date(Date.now() - minutes * 60_000);
    for (const change of changes) {
      await store.change((graph, at) =>
        'taskId' in change
          ? updateTask(graph, change, LEADER, at)
          : createTasks(graph, [change], at),
      );
    }
  };
}
