import type { Environment } from '../environment.ts';
import { readSettings } from '../settings/settings.ts';
import { dateMark, leaseMark } from '../tasks/lease-mark.ts';
import { renew } from '../tasks/news.ts';
import { taskContext } from '../tasks/task-context.ts';
import { TodoLists } from '../todo/todo-lists.ts';

/** How long to leave a server alone that did not answer. */
const PATIENCE_MS = 60_000;

/** Renews an agent's leases after a line of its shell. The mark says when the next line has to do that again. */
export async function showLife(environment: Environment, directory: string): Promise<void> {
  const { settings } = readSettings(environment, directory);
  const { agent } = settings;
  const lists = new TodoLists(environment, directory, settings);
  const mark = agent === undefined ? undefined : leaseMark(lists.folder, agent);
  if (agent === undefined || mark === undefined) return;
  const date = (ms: number | undefined) => dateMark(lists.checked(mark), ms, new Date());
  // First, so that of many lines at once only one does it.
  date(PATIENCE_MS);
  const { open, clock } = taskContext({
    environment,
    directory: () => directory,
    lists: () => lists,
  });
  if (clock) date(await renew(agent, open(undefined, settings), clock(undefined, settings)));
  await lists.close();
}
