import { safeText } from '../../base/safe-text.ts';
import { agentName, sessionName } from '../../screen/panel/look.ts';
import { itemRows, teamRows } from '../../screen/panel/status-times.ts';
import { entriesOf, leaseEndOf, taskDetails } from '../details.ts';
import type { Known, KnownList } from '../model.ts';
import { byActivity } from '../shown.ts';
import { sessionKeyOf } from '../watched-lists.ts';

const MOST_PAGE_VERSIONS = 50;

/** The state of a page. */
export type PageState = ReturnType<typeof pageStateOf>;

/** As JSON, without characters that could reverse its text. */
export function stateJson(known: Known): string {
  return JSON.stringify(pageStateOf(known), (_, value) =>
    typeof value === 'string' ? safeText(value) : value,
  );
}

function pageStateOf({ key, session = '', found, lists, tasks, problem }: Known) {
  const sessions = new Map(found.map((list) => [sessionKeyOf(list.key), list.session]));
  return {
    id: key,
    session: sessionName(session)[0],
    sessions: [...sessions].map(([id, name]) => ({
      id,
      name: sessionName(name).filter(Boolean).join(' · '),
    })),
    lists: byActivity(lists).map(listState),
    tasks: teamRows(tasks).map((row) => {
      const leaseEnds = leaseEndOf(tasks[0]?.graph.tasks.get(Number(row.name)));
      return { ...row, leaseEnds, details: taskDetails(tasks, Number(row.name), leaseEnds) };
    }),
    problem,
  };
}

function listState({ agent, versions }: KnownList) {
  return {
    agent,
    title: agentName(agent),
    updatedAt: +versions[0].updatedAt,
    items: itemRows(versions).map((row) => ({ ...row, name: `${agent} ${row.name}` })),
    history: entriesOf(versions).slice(0, MOST_PAGE_VERSIONS),
  };
}
