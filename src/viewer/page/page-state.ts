import { safeText } from '../../base/safe-text.ts';
import { itemRows, teamRows } from '../../screen/panel/status-times.ts';
import type { Known, KnownList } from '../model.ts';
import { byActivity, entriesOf } from '../shown.ts';
import { sessionKeyOf } from '../watched-lists.ts';

const MOST_VERSIONS = 50;

/** The state of a page. */
export type PageState = ReturnType<typeof stateOf>;

/** As JSON, without characters that could reverse its text. */
export function stateJson(known: Known): string {
  return JSON.stringify(stateOf(known), (_, value) =>
    typeof value === 'string' ? safeText(value) : value,
  );
}

function stateOf({ key, session = '', found, lists, tasks, problem }: Known) {
  const sessions = new Map(found.map((list) => [sessionKeyOf(list.key), list.session]));
  return {
    id: key,
    session,
    sessions: [...sessions].map(([id, name]) => ({ id, name })),
    lists: byActivity(lists).map(listState),
    tasks: teamRows(tasks),
    problem,
  };
}

function listState({ agent, versions }: KnownList) {
  return {
    agent,
    updatedAt: +versions[0].updatedAt,
    items: itemRows(versions).map((row) => ({ ...row, name: `${agent} ${row.name}` })),
    history: entriesOf(versions).slice(0, MOST_VERSIONS),
  };
}
