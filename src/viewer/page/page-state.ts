import { safeText } from '../../base/safe-text.ts';
import { agentName, sessionName } from '../../screen/panel/look.ts';
import { itemRows } from '../../screen/panel/status-times.ts';
import { type Entry, entriesOf, leaseEndOf, taskDetails } from '../details.ts';
import type { Known, KnownList } from '../model.ts';
import { boardRows, byActivity } from '../shown.ts';

const MOST_PAGE_VERSIONS = 50;

/** The state of a page. */
export type PageState = ReturnType<typeof pageStateOf>;

/** As JSON, without characters that could reverse its text. @param open the unfolded parts, as in `PageView`. */
export function stateJson(known: Known, open: ReadonlySet<string>): string {
  return JSON.stringify(pageStateOf(known, open), (_, value) =>
    typeof value === 'string' ? safeText(value) : value,
  );
}

function pageStateOf(
  { key, session = '', team = session, found, lists, tasks, problem }: Known,
  open: ReadonlySet<string>,
) {
  return {
    id: key,
    session: sessionName(session)[0],
    /** Empty for the session's own. */
    team: team === session ? '' : sessionName(team)[0],
    sessions: found.map(({ key: id, session: name }) => ({
      id,
      name: sessionName(name).filter(Boolean).join(' · '),
    })),
    lists: byActivity(lists).map(({ agent, versions }) => ({
      agent,
      title: agentName(agent),
      updatedAt: +versions[0].updatedAt,
      items: itemRows(versions).map((row) => ({ ...row, name: `${agent} ${row.name}` })),
      history: open.has(`history:${agent}`) ? historyOf(versions) : [],
    })),
    tasks: boardRows(tasks).map((row) => {
      const id = Number(row.name);
      const leaseEnds = leaseEndOf(tasks[0]?.graph.tasks.get(id));
      const details = open.has(`task:${id}`) ? taskDetails(tasks, id, leaseEnds) : [];
      return { ...row, leaseEnds, details };
    }),
    problem,
  };
}

/** Reads one version more: the oldest one shown is compared with the one before it. */
function historyOf(versions: KnownList['versions']): readonly Entry[] {
  return entriesOf(versions.slice(0, MOST_PAGE_VERSIONS + 1)).slice(0, MOST_PAGE_VERSIONS);
}
