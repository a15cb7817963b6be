import type { PeopleLook } from '../panel/for-people.ts';
import { isTerminal } from '../terminal/synchronous-io.ts';

/**
 * How lists are printed where a person reads them: on a terminal, unless TODO_PANEL=off says that an agent drives it.
 * What that needs is loaded only then.
 */
export function peopleLook(): (() => Promise<PeopleLook>) | undefined {
  if (process.env.TODO_PANEL === 'off' || !isOnTerminal()) return undefined;
  return async () => {
    const { stdout, env } = process;
    const { themeFor } = await import('../panel/theme.ts');
    return { theme: themeFor(stdout, env), columns: stdout.columns || 80, now: Date.now() };
  };
}

function isOnTerminal(): boolean {
  try {
    return isTerminal(1);
  } catch {
    // It is closed.
    return false;
  }
}
