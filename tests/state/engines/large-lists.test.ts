import { describe, expect, test } from 'vitest';
import { ListHome } from '../../../src/settings/list-home.ts';
import { claimTask } from '../../../src/tasks/claims.ts';
import { createTasks } from '../../../src/tasks/task-create.ts';
import { openTaskList } from '../../../src/tasks/task-store.ts';
import { closing } from '../../helpers/engines.ts';
import { useServers } from '../../helpers/servers.ts';

/** `npm run test:machines` sets it: several megabytes as JSON. */
const TASKS = process.env.TEST_MACHINES ? 10_000 : 1000;
const BATCH = TASKS / 4;
describe.for(useServers().one)('on %s', ([, isHere, server]) => {
  test.runIf(isHere)(
    `a list of ${TASKS} tasks is made, claimed from, and read by others`,
    async () => {
      const open = (author: string) => {
        const environment = { TODO_STATE_URL: server().url, TODO_STATE_TIMEOUT: '20' };
        return openTaskList(closing(new ListHome(environment, undefined)), 'tasks/large', author);
      };
      const [ann, bob] = [open('ann'), open('bob')];
      const batch = Array.from({ length: BATCH }, (_, index) => ({
        subject: `Part ${index}`,
        description: `What is to be done in part ${index}: ${`${index} `.repeat(60)}`,
      }));
      for (let first = 0; first < TASKS; first += BATCH) {
        const made = await ann.change((graph, at) => createTasks(graph, batch, at));
        expect(made).not.toHaveProperty('refused');
      }
      const rules = { checkBusy: false, force: false };
      const claim = (agent: string) =>
        (agent === 'ann' ? ann : bob).change((graph, at) =>
          claimTask(graph, 'next', { ...rules, agent }, at),
        );
      // Past a version that is stored whole.
      for (let count = 0; count < 25; count++) await Promise.all([claim('ann'), claim('bob')]);
      const { graph, version } = await open('cleo').read();
      expect([graph.tasks.size, version]).toEqual([TASKS, TASKS / BATCH + 50]);
      const claimed = [...graph.tasks.values()].filter(({ owner }) => owner !== undefined);
      expect(claimed.map(({ id }) => id)).toEqual(
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
    },
  );
});
