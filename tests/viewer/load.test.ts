import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openTodoStore } from '../../src/todo/todo-store.ts';
import { executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { hasProc, usageOf } from '../helpers/processes.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';
import { plan, todos } from '../screen/panel/todos.ts';

/** With TEST_MACHINES set 10,000 changes in a minute, else fewer, and as fast as they can be made. */
const IS_LONG = process.env.TEST_MACHINES !== undefined;
const CHANGES = IS_LONG ? 10_000 : 200;
const CHANGE_EVERY_MS = IS_LONG ? 6 : 0;

test.skipIf(!hasTmux || !hasProc)(
  'of many changes in quick succession the last one stays on the screen, and the others cost little',
  { timeout: 400_000 },
  async () => {
    const state = temporaryDirectory();
    const store = openTodoStore({ folder: `${state}/s/main` });
    const others = plan(30, 10).slice(11);
    store.update([...todos('> round 0'), ...others]);
    const terminal = new TmuxTerminal(
      `exec env TODO_STATE_DIR=${state} ${process.execPath} ${executable('agent-shell')} watch --session s`,
    );
    await terminal.until('the viewer', (screen) => screen.includes('Doing round 0...'));
    const before = usageOf(terminal.pid);
    const ownBefore = process.cpuUsage();
    const start = performance.now();
    for (let round = 1; round <= CHANGES; round++) {
      store.update([...todos(`> round ${round}`), ...others]);
      const early = start + round * CHANGE_EVERY_MS - performance.now();
      if (early > 0) await setTimeout(early);
    }
    const seconds = (performance.now() - start) / 1000;
    const own = process.cpuUsage(ownBefore);
    const ownMs = (own.user + own.system) / 1000;
    const screen = await terminal.until('the last change', (text) =>
      text.includes(`Doing round ${CHANGES}...`),
    );
    expect(screen.match(/Doing round/g)).toHaveLength(1);
    const after = usageOf(terminal.pid);
    const cpuMs = after.cpuMs - before.cpuMs;
    const bytes = after.writtenBytes - before.writtenBytes;
    console.log(
      `${CHANGES} changes in ${seconds.toFixed(0)} s: ${ownMs.toFixed(0)} ms of CPU to make them, ${cpuMs} ms and ${bytes} bytes to show them`,
    );
    expect(cpuMs).toBeLessThan(2 * ownMs + 500);
    expect(bytes / CHANGES).toBeLessThan(500);
  },
);
