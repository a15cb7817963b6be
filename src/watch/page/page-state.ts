import { proofMark } from '../../command/status.ts';
import { statusTimes } from '../../panel/status-times.ts';
import { safeText } from '../../safe-text.ts';
import { openBlockers } from '../../tasks/task.ts';
import type { Known, KnownList, KnownTasks } from '../model.ts';
import { changeOf } from '../shown.ts';
import { sessionKeyOf } from '../watched-lists.ts';

const MOST_VERSIONS = 50;

/** Everything that a page shows, as JSON. */
export type PageState = ReturnType<typeof stateOf>;

/** What is known of a session, without characters that could reverse its text. */
export function stateOf(known: Known) {
  const sessions = new Map(known.found.map(({ key, session }) => [sessionKeyOf(key), session]));
  return {
    id: known.key,
    session: safeText(known.session ?? ''),
    sessions: [...sessions].map(([id, name]) => ({ id, name: safeText(name) })),
    lists: known.lists.map(listState),
    tasks: tasksState(known.tasks),
    problem: known.problem && safeText(known.problem),
  };
}

function listState({ agent, versions }: KnownList) {
  const [{ items, updatedAt }] = versions;
  const times = statusTimes(versions);
  return {
    agent: safeText(agent),
    updatedAt: +updatedAt,
    items: items.map((item) => ({
      content: safeText(item.content),
      activeForm: safeText(item.activeForm),
      status: item.status,
      priority: item.priority,
      proof: proofMark(item),
      since: item.status === 'pending' ? undefined : times.since.get(item),
      isLonger: times.isLonger.has(item),
      took: times.took.get(item),
    })),
    history: versions.slice(0, MOST_VERSIONS).map((version, index) => ({
      version: version.version,
      at: +version.updatedAt,
      by: safeText(version.by),
      change: changeOf(version, versions[index + 1]),
    })),
  };
}

function tasksState({ tasks, since }: KnownTasks) {
  const shown = [...tasks.values()].filter(({ isArchived }) => !isArchived);
  return shown.map((task) => ({
    id: task.id,
    subject: safeText(task.subject),
    activeForm: task.activeForm && safeText(task.activeForm),
    owner: task.owner && safeText(task.owner),
    status: task.status,
    proof: proofMark(task),
    since: since.get(task.id),
    ...(task.status === 'completed'
      ? { blockedBy: [], blocks: [] }
      : {
          blockedBy: openBlockers({ nextId: 0, tasks }, task),
          blocks: task.blocks.filter((other) => tasks.get(other)?.status !== 'completed'),
        }),
  }));
}
