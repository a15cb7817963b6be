import { factsOf, type Shown, shownItem, textOf } from '../../panel/look.ts';
import { statusTimes, taskTimes } from '../../panel/status-times.ts';
import { safeText } from '../../safe-text.ts';
import type { TaskVersion } from '../../tasks/task-store.ts';
import type { Known, KnownList } from '../model.ts';
import { taskOf } from '../render-rows.ts';
import { entriesOf } from '../shown.ts';
import { sessionKeyOf } from '../watched-lists.ts';

const MOST_VERSIONS = 50;

/** The state of a page, as JSON. */
export type PageState = ReturnType<typeof stateOf>;

/** Without characters that could reverse its text. */
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
  const { since, isLonger, took } = statusTimes(versions);
  return {
    agent: safeText(agent),
    updatedAt: +updatedAt,
    items: items.map((item) => ({
      ...rowState(`${agent}\n${item.content}`, shownItem(item)),
      since: item.status === 'pending' ? undefined : since.get(item),
      isLonger: isLonger.has(item),
      took: took.get(item),
    })),
    history: entriesOf(versions)
      .slice(0, MOST_VERSIONS)
      .map((entry) => ({ ...entry, by: safeText(entry.by) })),
  };
}

function tasksState(versions: readonly TaskVersion[]) {
  const [newest] = versions;
  if (newest === undefined) return [];
  const times = taskTimes(versions);
  const shown = [...newest.graph.tasks.values()].filter(({ isArchived }) => !isArchived);
  return shown.map((task) => ({
    ...rowState(`#${task.id}`, taskOf(task, newest.graph)),
    since: task.status === 'completed' ? undefined : times.get(task.id),
  }));
}

/** @param name identifies the row across states. */
function rowState(name: string, shown: Shown) {
  const { status, priority, proof, owner, text, blockedBy, blocks } = shown;
  return {
    name,
    status,
    priority,
    proof,
    owner: safeText(owner),
    text: safeText(text),
    now: safeText(textOf(shown)),
    links: factsOf({ status, text, doing: '', owner: '', proof: '', blockedBy, blocks }),
  };
}
