import { writeAll } from '../terminal/synchronous-io.ts';
import helpPage from './watch.md';
import type { WatchArguments } from './watch-arguments.ts';

/** What is left of a connection to a server that does not answer must not keep a program that its user has ended. */
const END_MS = 200;

/**
 * Shows lists as they change: on a terminal as a viewer of its own, else in lines, or
 * as a page for browsers. Ends when its user quits, or
 * by a signal. Gives the exit code.
 */
export async function watch(options: WatchArguments): Promise<number> {
  const exitCode = await show(options);
  setTimeout(() => process.exit(exitCode), END_MS).unref();
  return exitCode;
}

async function show(options: WatchArguments): Promise<number> {
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
