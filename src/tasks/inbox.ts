import { nameText, quotedText, withoutTags } from '../base/safe-text.ts';
import { USER } from '../lists/place.ts';
import { changedIds, type Notice, openBlockers, type Task, type TaskGraph } from './task.ts';

/** An agent that never reads loses older notices. */
const MOST_NOTICES = 1000;
const MAX_SUBJECT_IN_NOTICE = 100;

/** Adds a notice for each agent that a change concerns, except its author. */
export function withNotices(
  before: TaskGraph,
  after: TaskGraph,
  by: string,
  at: string,
): TaskGraph {
  const inboxes = new Map(after.inboxes);
  const changed = changedIds(before, after);
  const unblocked = unblockedIn(before, after, changed);
  for (const taskId of [...new Set([...changed, ...unblocked])].sort((a, b) => a - b)) {
    const [was, now] = [before.tasks.get(taskId), after.tasks.get(taskId)];
    const { subject } = (now ?? was) as Task;
    // One notice per agent and task.
    for (const [agent, kind] of noticeKinds(was, now, unblocked.has(taskId))) {
      // Agents tell each other by comments; a person's words are the plan.
      if (kind === 'changed' && by !== USER) continue;
      if (agent === by) continue;
      const isField = kind === 'check' || kind === 'comments' || kind === 'status';
      const what = isField ? ({ kind: 'changed', about: kind } as const) : { kind };
      const notice: Notice = { ...what, taskId, subject, by, at };
      inboxes.set(agent, [...(inboxes.get(agent) ?? []), notice].slice(-MOST_NOTICES));
    }
  }
  return { ...after, inboxes };
}

/** Removes an agent's oldest notices, at most so many. */
export function takeNotices(
  graph: TaskGraph,
  agent: string,
  most: number,
): { readonly graph: TaskGraph; readonly taken: readonly Notice[]; readonly left: number } {
  const all = graph.inboxes?.get(agent) ?? [];
  if (all.length === 0 || most === 0) return { graph, taken: [], left: all.length };
  const inboxes = new Map(graph.inboxes);
  const rest = all.slice(most);
  if (rest.length > 0) inboxes.set(agent, rest);
  else inboxes.delete(agent);
  return { graph: { ...graph, inboxes }, taken: all.slice(0, most), left: rest.length };
}

/** `#3 "Fix login": assigned to you by ann`. */
export function noticeText({ kind, about, taskId, subject, by }: Notice): string {
  const words = NOTICE_WORDS.get(about ?? kind) ?? NOTICE_WORDS.get(kind) ?? WORDS.changed;
  const task = `#${taskId} ${quotedText(subject, MAX_SUBJECT_IN_NOTICE)}`;
  return withoutTags(`${task}: ${words} by ${nameText(by)}`);
}

type Event = Notice['kind'] | NonNullable<Notice['about']>;

const WORDS: Readonly<Record<Event, string>> = {
  assigned: 'assigned to you',
  reassigned: 'given to another agent',
  unblocked: 'yours: unblocked',
  reopened: 'yours: reopened',
  changed: 'yours: changed',
  check: 'yours: check changed',
  comments: 'yours: commented',
  status: 'yours: put back',
  deleted: 'deleted',
  claimed: 'claimed',
  completed: 'completed',
  released: 'released',
};
/** Followed by `by NAME`. Newer builds may have others. */
const NOTICE_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(WORDS));

/** The pending tasks that waited for others and now wait for none: these were completed, deleted or unlinked. */
function unblockedIn(before: TaskGraph, after: TaskGraph, changed: readonly number[]): Set<number> {
  const candidates = new Set<number>();
  for (const id of changed) {
    const [was, task] = [before.tasks.get(id), after.tasks.get(id)];
    if (was === undefined) continue;
    if (task === undefined || task.status === 'completed') {
      for (const waiting of was.blocks) candidates.add(waiting);
    }
    if (was.blockedBy !== task?.blockedBy) candidates.add(id);
  }
  const isUnblocked = (id: number) => {
    const [was, task] = [before.tasks.get(id), after.tasks.get(id)];
    if (was === undefined || task?.status !== 'pending') return false;
    return openBlockers(before, was).length > 0 && openBlockers(after, task).length === 0;
  };
  return new Set([...candidates].filter(isUnblocked));
}

/** The agents that a change of one task concerns. The first kind counts. */
function noticeKinds(
  was: Task | undefined,
  task: Task | undefined,
  isUnblocked: boolean,
): Map<string, Event> {
  const kinds = new Map<string, Event>();
  const tell = (agent: string | undefined, kind: Event) => {
    if (agent !== undefined && !kinds.has(agent)) kinds.set(agent, kind);
  };
  const isOwnerNew = was?.owner !== task?.owner;
  const isCompleted = was?.status !== 'completed' && task?.status === 'completed';
  if (task === undefined) tell(was?.owner, 'deleted');
  else if (isOwnerNew) {
    tell(task.owner, 'assigned');
    tell(was?.owner, task.owner === undefined ? 'released' : 'reassigned');
  }
  if (isCompleted) tell(task.owner, 'completed');
  if (was?.status === 'completed' && task && task.status !== 'completed')
    tell(task.owner, 'reopened');
  if (was?.status === 'in_progress' && task?.status === 'pending') tell(task.owner, 'status');
  if (isUnblocked) tell(task?.owner, 'unblocked');
  if (was && was.check !== task?.check) tell(task?.owner, 'check');
  if (was?.subject !== task?.subject) tell(task?.owner, 'changed');
  if (task === undefined || was === undefined) return kinds;
  // An undo brings back older ones.
  const isNewest = task.comments?.at(-1)?.at === task.updatedAt;
  if (isNewest && task.comments !== was.comments) tell(task.owner, 'comments');
  const { createdBy } = task;
  if (isCompleted) tell(createdBy, 'completed');
  else if (task.status === 'in_progress' && (isOwnerNew || was.status !== 'in_progress')) {
    tell(createdBy, 'claimed');
  } else if (isOwnerNew && task.owner === undefined) tell(createdBy, 'released');
  return kinds;
}
