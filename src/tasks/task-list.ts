import { done } from '../base/command/agent-command.ts';
import { EXPORT_FORMATS } from '../base/command/options.ts';
import { noteLines } from '../base/command/replies.ts';
import { rankOf, STATUSES } from '../base/command/status.ts';
import { jsonLine, oneOf, shortText, type ValuesOf } from '../base/json/fields.ts';
import { counted } from '../base/safe-text.ts';
import { readyTasks } from './claims.ts';
import { noticeText, takeNotices } from './inbox.ts';
import { because } from './reasons.ts';
import type { Task } from './task.ts';
import { AT, flag, ONE_TASK, wholeNumber } from './task-fields.ts';
import { taskForm } from './task-form.ts';
import getPage from './task-get.md';
import { changeLines, type FoundTasks, graphAt } from './task-history.ts';
import inboxPage from './task-inbox.md';
import listPage from './task-list.md';
import { exportMarkdown, storedTime, taskLine, taskPage } from './task-text.ts';

const SORTS = ['id', 'priority', 'updated'] as const;

const DEFAULT_LIMIT = 30;

const FILTER = {
  ready: { kind: flag },
  mine: { kind: flag },
  owner: { kind: shortText },
  status: { kind: oneOf(STATUSES) },
  /** A text in the subject or description, ignoring case. */
  search: { kind: shortText },
  archived: { kind: flag },
  sort: { kind: oneOf(SORTS) },
  limit: { kind: { ...wholeNumber, needs: 'a number of tasks' } },
  at: AT,
} as const;
/** All filters must match. */
type TaskFilter = ValuesOf<typeof FILTER>;

export const TASK_LIST = taskForm({
  name: 'TaskList',
  summary: 'shows them; --ready, --mine',
  usage: 'TaskList [--ready | --mine | --history] [--status STATUS] [--json]',
  helpPage: listPage,
  example: '{"status":"pending"}',
  fields: FILTER,
  options: { '--json': 'flag', '--history': 'flag', '--format': EXPORT_FORMATS },
  isReadOnly: true,
  purpose: 'list the tasks',
  run: async (filter, call) => {
    const { store, options } = call;
    const { forPeople } = call.context;
    const { '--json': asJson, '--format': format = asJson && 'json' } = options;
    if (asJson && format !== 'json') return { misuse: '--json and --format cannot be combined' };
    const { limit: most = forPeople || format ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT } = filter;
    if (options['--history']) {
      if (format || filter.at !== undefined) {
        return { misuse: '--history takes neither --json, --format nor --at' };
      }
      const lines = await changeLines(store, call.isForPerson);
      return done(textOf(lines.slice(0, most), restOf(lines, most, 'change')) || 'No changes.\n');
    }
    const found = await graphAt(store, filter.at);
    if ('refused' in found) return found;
    const { graph, version, clock } = found;
    const all = sorted(selected(found, filter, call.agent), filter);
    const isByNeed = all.length > most && filter.sort === undefined && !filter.ready;
    const tasks = (isByNeed ? openFirst(all) : all).slice(0, most);
    const rest = restOf(all, most, 'task');
    const who = filter.mine && all.length === 0 ? call.missingName(graph) : undefined;
    const note = noteLines([rest, who]);
    if (format === 'json') return done(jsonLine({ tasks, version }), note);
    if (format === 'md') return done(exportMarkdown(graph, tasks), note);
    if (forPeople) return done(await forPeople(graph, tasks, clock), note);
    const lines = tasks.map((task) => {
      // This command renews the caller's own leases.
      const others = task.owner === call.agent ? undefined : clock;
      return `${taskLine(graph, task, others)}\n`;
    });
    return done(textOf(lines, rest) || 'No tasks.\n', noteLines([who]));
  },
});

function selected({ graph, clock }: FoundTasks, filter: TaskFilter, agent: string): Task[] {
  const { ready, mine, owner, status, search, archived = false } = filter;
  const words = search?.toLowerCase();
  const tasks = ready ? readyTasks(graph, agent, clock) : [...graph.tasks.values()];
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
      // Your own tasks that wait to be begun come first.
      return mine
        ? tasks.sort((a, b) => Number(a.status !== 'pending') - Number(b.status !== 'pending'))
        : tasks;
  }
}

/** A cut then drops completed tasks before others. */
function openFirst(tasks: readonly Task[]): Task[] {
  const ranks = { in_progress: 0, pending: 1, completed: 2 };
  return [...tasks].sort((a, b) => ranks[a.status] - ranks[b.status]);
}

/** Says how many are left out, if any. */
function restOf(all: readonly unknown[], most: number, what: string): string | undefined {
  const rest = all.length - most;
  return rest > 0 ? `${counted(rest, `more ${what}`)}; --limit ${all.length} shows all` : undefined;
}

function textOf(lines: readonly string[], rest = ''): string {
  return lines.join('') + (rest && `... and ${rest}\n`);
}

export const TASK_GET = taskForm({
  name: 'TaskGet',
  summary: 'shows one: ID',
  usage: 'TaskGet ID [--json] [--at VERSION | --history]',
  helpPage: getPage,
  example: '{"taskId":1}',
  fields: { taskId: ONE_TASK, at: AT },
  options: { '--json': 'flag', '--history': 'flag' },
  isReadOnly: true,
  purpose: 'show the task',
  run: async ({ taskId: id, at }, { store, options, isForPerson }) => {
    const { '--history': isHistory, '--json': asJson } = options;
    if (isHistory && (asJson || at !== undefined)) {
      return { misuse: '--history takes neither --json nor --at' };
    }
    const found = await graphAt(store, at);
    const title = `Cannot show task #${id}`;
    if ('refused' in found) return { ...found, title };
    const task = found.graph.tasks.get(id);
    if (isHistory) {
      const lines = await changeLines(store, isForPerson, id);
      // A deleted task still has its history.
      if (task || lines.length > 0) return done(lines.join('') || 'No changes.\n');
    }
    if (task === undefined) return { refused: [because('task_not_found', id)], title };
    return done(asJson ? jsonLine(task) : taskPage(found.graph, task, isForPerson));
  },
});

export const TASK_INBOX = taskForm({
  name: 'TaskInbox',
  summary: 'what others did',
  usage: 'TaskInbox [--json]',
  helpPage: inboxPage,
  example: '{}',
  fields: {},
  options: { '--json': 'flag' },
  purpose: 'show the inbox',
  run: async (_request, call) => {
    const { store, agent, options, isForPerson } = call;
    const outcome = await store.change((graph) =>
      takeNotices(graph, agent, Number.MAX_SAFE_INTEGER),
    );
    if ('refused' in outcome) return outcome;
    const { taken, graph } = outcome.change;
    const note = noteLines(taken.length > 0 ? [] : [call.missingName(graph)]);
    if (options['--json']) return done(jsonLine({ notices: taken }), note);
    const lines = taken.map((one) => `${storedTime(one.at, isForPerson)}  ${noticeText(one)}\n`);
    return done(lines.join('') || 'Nothing new.\n', note);
  },
});
