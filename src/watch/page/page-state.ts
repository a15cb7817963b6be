import { factsOf, type Shown, shownItem, textOf } from '../../panel/look.ts';
import { statusTimes } from '../../panel/status-times.ts';
import { safeText } from '../../safe-text.ts';
import type { Known, KnownList, KnownTasks } from '../model.ts';
import { taskOf } from '../render-rows.ts';
import { changeOf } from '../shown.ts';
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
    history: versions.slice(0, MOST_VERSIONS).map((version, index) => ({
      version: version.version,
      at: +version.updatedAt,
      by: safeText(version.by),
      change: changeOf(version, versions[index + 1]),
    })),
  };
}

function tasksState(known: KnownTasks) {
  const shown = [...known.tasks.values()].filter(({ isArchived }) => !isArchived);
  return shown.map((task) => ({
    ...rowState(`#${task.id}`, taskOf(task, known.tasks)),
    since: task.status === 'completed' ? undefined : known.since.get(task.id),
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
