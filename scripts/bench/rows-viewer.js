// The viewer, while a list changes as fast as it can.
import { join } from 'node:path';
import { openTodoStore } from '../../dist/index.js';
import { itemsOf } from './lists.js';
import { childrenOf, cpuSeconds, treeOf } from './proc.js';
import { executable } from './processes.js';
import { missingForTerminal, onTerminal, until } from './terminal.js';

const ITEMS = 50;
const CHANGES = 2000;
const NAME = `the viewer, ${CHANGES.toLocaleString('en')} changes, CPU`;

export async function* viewerRows() {
  const leftOut = missingForTerminal();
  if (leftOut) {
    yield { name: NAME, leftOut };
    return;
  }
  const store = openTodoStore({ folder: join(process.env.TODO_STATE_DIR, 'viewer', 'main') });
  store.update(itemsOf(ITEMS, 0));
  const ours = await onTerminal(
    `'${executable('agent-shell')}' watch --session viewer`,
    'q',
    async (terminal) => {
      await until(terminal.stdout, 'number 0');
      terminal.stdout.resume();
      const [viewer] = childrenOf(terminal.pid);
      const cpu = () => treeOf(viewer).reduce((total, pid) => total + cpuSeconds(pid), 0);
      const before = cpu();
      for (let change = 1; change <= CHANGES; change++) {
        store.update(itemsOf(ITEMS, change % ITEMS));
        // The viewer gets a turn, as beside an agent in another process.
        if (change % 10 === 0) await new Promise(setImmediate);
      }
      store.update([{ content: 'the end', activeForm: 'ending', status: 'pending' }]);
      await until(terminal.stdout, 'the end');
      return cpu() - before;
    },
  );
  yield { name: NAME, unit: 's', ours, goal: { of: 'ours', atMost: 1 } };
}
