import * as z from 'zod/mini';
import { refusal } from '../command/refusal.ts';
import { NO_AGENT } from './refused.ts';
import { releaseAll, releaseTasks } from './release-tasks.ts';
import { idsText } from './task.ts';
import type { TaskForm } from './task-form.ts';
import helpPage from './task-release.md';
import { requestSchema, taskIds } from './task-schema.ts';
import { reasonLines } from './task-text.ts';

const TITLE = 'Cannot release the tasks';

/** `TaskRelease`: makes tasks pending and unowned again, as when their agent is gone. */
export const TASK_RELEASE: TaskForm<{ readonly taskIds?: readonly number[] }> = {
  name: 'TaskRelease',
  summary: 'gives tasks back: ID..., or --agent NAME',
  usage: 'TaskRelease [ID...] [--agent NAME]',
  helpPage,
  example: '{"taskIds":[1,2]}',
  fields: {},
  positional: { field: 'taskIds', isList: true },
  readsStdin: false,
  purpose: 'release the tasks',
  check: requestSchema(() => z.strictObject({ taskIds: z.exactOptional(taskIds) })),
  run: async ({ taskIds: ids }, { store, agent, isAgentGiven }) => {
    if (ids === undefined && agent === undefined) return refusal(TITLE, reasonLines([NO_AGENT]));
    const owner = isAgentGiven ? agent : undefined;
    const outcome = await store.change((graph, at) =>
      ids === undefined ? releaseAll(graph, agent ?? '', at) : releaseTasks(graph, ids, owner, at),
    );
    if ('refused' in outcome) return refusal(TITLE, reasonLines(outcome.refused));
    const { released } = outcome.change;
    const names = idsText(released.map(({ id }) => id));
    return {
      stdout: released.length > 0 ? `Released: ${names}\n` : 'No tasks to release.\n',
      stderr: '',
      exitCode: 0,
    };
  },
};
