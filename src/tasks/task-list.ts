import { done } from '../command/agent-command.ts';
import { EXPORT_FORMATS } from '../command/exports.ts';
import { wrongUsage } from '../command/options.ts';
import { refusal } from '../command/refusal.ts';
import { rankOf, STATUSES, type Status } from '../command/status.ts';
import { oneOf, shortText } from '../json/fields.ts';
import { jsonLine } from '../json/json-value.ts';
import { readyTasks } from './ready.ts';
import type { Task, TaskGraph } from './task.ts';
import type { TaskCall, TaskForm } from './task-form.ts';
import { changeLine, changesOf, graphAt } from './task-history.ts';
import helpPage from './task-list.md';
import { AT, flag, requestSchema, wholeNumber } from './task-schema.ts';
import { exportMarkdown, reasonLines, taskLine } from './task-text.ts';

const SORTS = ['id', 'priority', 'updated'] as const;

/** Which tasks to list, and how; all of what is given must hold. */
export interface TaskFilter {
  readonly ready?: boolean;
  readonly mine?: boolean;
  readonly owner?: string;
  readonly status?: Status;
  /** What their subject or description must hold, in whatever case. */
  readonly search?: string;
  readonly archived?: boolean;
  readonly sort?: (typeof SORTS)[number];
  readonly limit?: number;
  readonly at?: number;
}

/** So many lines a reader gets who is no person at a terminal, and has not said how many. */
const DEFAULT_LIMIT = 30;

const FIELDS = {
  ready: { kind: flag },
  mine: { kind: flag },
  owner: { kind: shortText },
  status: { kind: oneOf(STATUSES) },
  search: { kind: shortText },
  archived: { kind: flag },
  sort: { kind: oneOf(SORTS) },
  limit: { kind: wholeNumber('a number of tasks') },
  at: AT,
} as const;

const USAGE =
  'TaskList [--ready | --mine] [--owner NAME] [--status STATUS] [--search TEXT] [--json] [--history]';

/** `TaskList`: one line a task. */
export const TASK_LIST: TaskForm<TaskFilter> = {
  name: 'TaskList',
  summary: 'shows them; --ready, --mine',
  usage: USAGE,
  helpPage,
  example: '{"status":"pending"}',
  fields: FIELDS,
  options: { '--json': 'flag', '--history': 'flag', '--format': EXPORT_FORMATS },
  isReadOnly: true,
  readsStdin: false,
  purpose: 'list the tasks',
  check: requestSchema(FIELDS),
  run: async (filter, call) => {
    const { store, options, forPeople } = call;
    const { '--json': asJson, '--format': format = asJson && 'json' } = options;
    if (asJson && format !== 'json') {
      return wrongUsage('--json and --format exclude each other', `Usage: ${USAGE}\n`);
    }
    const most = filter.limit ?? (forPeople ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
    if (options['--history']) {
      const lines = (await changesOf(store)).map(changeLine);
      return done(cut(lines, most, 'changes') || 'No changes.\n');
    }
    const found = await graphAt(store, filter.at);
    if ('refused' in found) return refusal('Cannot list the tasks', reasonLines(found.refused));
    const { graph, version } = found;
    const tasks = sorted(selected(graph, filter, call), filter);
    // An export is whole unless it is told not to be.
    const exported = tasks.slice(0, filter.limit);
    switch (format) {
      case 'json':
        return done(jsonLine({ tasks: exported, version }));
      case 'md':
        return done(exportMarkdown(graph, exported));
      default: {
        if (forPeople) return done(await forPeople(graph, exported, store.clock));
        const isCut = tasks.length > most && filter.sort === undefined && !filter.ready;
        const lines = (isCut ? openFirst(tasks) : tasks).map(
          (task) => `${taskLine(graph, task, store.clock)}\n`,
        );
        return done(cut(lines, most, 'tasks') || 'No tasks.\n');
      }
    }
  },
};

function selected(graph: TaskGraph, filter: TaskFilter, { agent, store }: TaskCall): Task[] {
  const { ready, mine, owner, status, search, archived = false } = filter;
  const words = search?.toLowerCase();
  const tasks = ready ? readyTasks(graph, agent, store.clock) : [...graph.tasks.values()];
  return tasks.filter(
    (task) =>
      (task.isArchived ?? false) === archived &&
      (!mine || (task.owner === agent && task.status !== 'completed')) &&
      (owner === undefined || task.owner === owner) &&
      (status === undefined || task.status === status) &&
      (words === undefined || `${task.subject}\n${task.description}`.toLowerCase().includes(words)),
  );
}

function sorted(tasks: Task[], { sort, mine }: TaskFilter): Task[] {
  switch (sort) {
    case 'priority':
      return tasks.sort((a, b) => rankOf(a) - rankOf(b));
    case 'updated':
      return tasks.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    default:
      // What waits to be begun comes first in what is your own.
      return mine
        ? tasks.sort((a, b) => Number(a.status !== 'pending') - Number(b.status !== 'pending'))
        : tasks;
  }
}

/** Where not all are shown, those that are done are the first to go. */
function openFirst(tasks: readonly Task[]): Task[] {
  const ranks = { in_progress: 0, pending: 1, completed: 2 };
  return [...tasks].sort((a, b) => ranks[a.status] - ranks[b.status]);
}

function cut(lines: readonly string[], most: number, what: string): string {
  if (lines.length <= most) return lines.join('');
  const rest = lines.length - most;
  return `${lines.slice(0, most).join('')}... and ${rest} more ${what}; --limit ${lines.length} shows all\n`;
}
