import { done } from '../command/agent-command.ts';
import { wrongUsage } from '../command/options.ts';
import { refusal } from '../command/refusal.ts';
import { NO_AGENT } from './reasons.ts';
import { releaseAll, releaseExpired, releaseTasks } from './release-tasks.ts';
import { idsText } from './task.ts';
import type { TaskForm } from './task-form.ts';
import helpPage from './task-release.md';
import { requestSchema, taskIds } from './task-schema.ts';
import { reasonLines } from './task-text.ts';

const USAGE = 'TaskRelease [ID...] [--agent NAME] [--begun] | TaskRelease --expired';
const FIELDS = { taskIds: { kind: taskIds, isNoOption: true } } as const;
const TITLE = 'Cannot release the tasks';

/** `TaskRelease`: makes tasks pending and unowned again, as when their agent is gone. */
export const TASK_RELEASE: TaskForm<{ readonly taskIds?: readonly number[] }> = {
  name: 'TaskRelease',
  summary: 'gives back: ID...',
  usage: USAGE,
  helpPage,
  example: '{"taskIds":[1,2]}',
  fields: FIELDS,
  options: { '--expired': 'flag', '--begun': 'flag' },
  isAboutAgent: true,
  positional: { field: 'taskIds', isList: true },
  readsStdin: false,
  purpose: 'release the tasks',
  check: requestSchema(FIELDS),
  run: async ({ taskIds: ids }, { store, change, claimant, rules, options }) => {
    const { '--agent': namedAgent, '--expired': isExpired = false } = options;
    const which = options['--begun'] ? 'begun' : 'open';
    if (which === 'begun' && ids !== undefined) {
      return wrongUsage('--begun takes no ids', `Usage: ${USAGE}\n`);
    }
    if (isExpired && (ids !== undefined || namedAgent !== undefined)) {
      return wrongUsage('--expired takes no ids and no --agent', `Usage: ${USAGE}\n`);
    }
    const outcome = await change((graph, at) => {
      if (isExpired) return releaseExpired(graph, store.clock, at);
      if (ids !== undefined) return releaseTasks(graph, ids, namedAgent, at);
      const agent = namedAgent ?? claimant(graph);
      if (agent === undefined) return { refused: [NO_AGENT] };
      return releaseAll(graph, agent, at, which, rules.session);
    });
    if ('refused' in outcome) return refusal(TITLE, reasonLines(outcome.refused));
    const { released } = outcome.change;
    const names = idsText(released.map(({ id }) => id));
    return done(released.length > 0 ? `Released: ${names}\n` : 'No tasks to release.\n');
  },
};
