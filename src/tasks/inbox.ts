import { nameText, quotedText, withoutTags } from '../base/safe-text.ts';
import { USER } from '../lists/place.ts';
import { unblockedIn } from './dependencies.ts';
import { changedIds, type Notice, type Task, type TaskGraph } from './task.ts';

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
  const unblocked = new Set(unblockedIn(before, after, changed));
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

/** The agents that a change of one task concerns. The first kind counts. */
function noticeKinds(
  was: Task | undefined,
  task: Task | undefined,
  isUnblocked: boolean,
): Map<string, Event> {
  const isOwnerNew = was?.owner !== task?.owner;
  const isCompleted = was?.status !== 'completed' && task?.status === 'completed';
  const isReopened = was?.status === 'completed' && task?.status !== 'completed';
  const isBegun = task?.status === 'in_progress' && (isOwnerNew || was?.status !== 'in_progress');
  // An undo brings back older ones.
  const isNewest = task?.comments?.at(-1)?.at === task?.updatedAt;
  const [owner, creator] = [task?.owner, was && task?.createdBy];
  const events: readonly (readonly [agent: string | undefined, kind: Event, isSo: boolean])[] = [
    [was?.owner, 'deleted', task === undefined],
    [owner, 'assigned', isOwnerNew],
    [was?.owner, owner === undefined ? 'released' : 'reassigned', isOwnerNew],
    [owner, 'completed', isCompleted],
    [owner, 'reopened', isReopened],
    [owner, 'status', was?.status === 'in_progress' && task?.status === 'pending'],
    [owner, 'unblocked', isUnblocked],
    [owner, 'check', was !== undefined && was.check !== task?.check],
    [owner, 'changed', was?.subject !== task?.subject],
    [owner, 'comments', isNewest && was?.comments !== task?.comments],
    [creator, 'completed', isCompleted],
    [creator, 'claimed', isBegun],
    [creator, 'released', isOwnerNew && owner === undefined],
  ];
  const kinds = new Map<string, Event>();
  for (const [agent, kind, isSo] of events) {
    if (isSo && agent !== undefined && !kinds.has(agent)) kinds.set(agent, kind);
  }
  return kinds;
}
