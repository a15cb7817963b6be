import { writeAll } from '../terminal/synchronous-io.ts';
import helpPage from './watch.md';
import type { WatchArguments } from './watch-arguments.ts';

/**
 * Shows lists in files as they change: on a terminal as a viewer of its own, else in lines, or
 * as a page for browsers. Ends when its user quits, or
 * by a signal. Gives the exit code.
 */
export async function watch(options: WatchArguments): Promise<number> {
  if (options.help) {
    writeAll(1, helpPage);
    return 0;
  }
  if (options.web) {
    const { watchWeb } = await import('./watch-web.ts');
    return watchWeb(options);
  }
  const { stdout, env } = process;
  const canDraw = stdout.isTTY && env.TERM !== 'dumb';
  if (canDraw && !options.jsonl && !options.plain) {
    const { runViewer } = await import('./viewer.ts');
    return runViewer(options);
  }
  if (options.tasks) {
    const { printTasks } = await import('./print-tasks.ts');
    return printTasks(options);
  }
  const { printLists } = await import('./print-lists.ts');
  return printLists(options);
}
