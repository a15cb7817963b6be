import type { Environment } from '../environment.ts';
import { readSettings } from '../settings.ts';
import { dateMark, leaseMark } from '../tasks/lease-mark.ts';
import { renew } from '../tasks/news.ts';
import { taskContext } from '../tasks/task-context.ts';
import { TodoLists } from '../todo/todo-lists.ts';

/** A server that does not answer is not asked again with each line. */
const PATIENCE_MS = 60_000;

/** A line of the agent's shell has run: its leases are renewed, and the mark says when a line is to do that again. */
export async function showLife(environment: Environment, directory: string): Promise<void> {
  const { settings } = readSettings(environment, directory);
  const { agent } = settings;
  const lists = new TodoLists(environment, directory, settings);
  const mark = agent === undefined ? undefined : leaseMark(lists.folder, agent);
  if (agent === undefined || mark === undefined) return;
  const date = (ms: number | undefined) => dateMark(lists.checked(mark), ms, new Date());
  // So that of many lines at once only the first does it.
  date(PATIENCE_MS);
  const { open, clock } = taskContext({
    environment,
    directory: () => directory,
    lists: () => lists,
  });
  if (clock) date(await renew(agent, open(undefined, settings), clock(undefined, settings)));
  await lists.close();
}
