import { writeAll } from '../base/system/files.ts';
import { canDraw } from '../screen/panel/theme.ts';
import helpPage from './watch.md';
import type { WatchArguments } from './watch-arguments.ts';

/** How long open connections may delay the exit. */
const END_MS = 200;

/**
 * Shows lists as they change: in the viewer on a terminal, otherwise as lines, or as a page for browsers. Runs until the
 * user quits or a signal arrives. Returns the exit code.
 */
export async function watch(options: WatchArguments): Promise<number> {
  const exitCode = await showViewer(options);
  setTimeout(() => process.exit(exitCode), END_MS).unref();
  return exitCode;
}

async function showViewer(options: WatchArguments): Promise<number> {
  if (options.help) {
    writeAll(1, helpPage);
    return 0;
  }
  if (options.web) {
    const { watchWeb } = await import('./watch-web.ts');
    return watchWeb(options);
  }
  const { stdout, env } = process;
  if (canDraw(stdout, env) && !options.jsonl && !options.plain) {
    const { runViewer } = await import('./viewer.ts');
    return runViewer(options);
  }
  const { printChanges } = await import('./print.ts');
  return printChanges(options);
}
