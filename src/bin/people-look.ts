import type { PeopleLook } from '../panel/for-people.ts';
import { isTerminal } from '../terminal/synchronous-io.ts';

/**
 * How lists are printed where a person reads them: on a terminal, unless an agent drives it, as TODO_PANEL=off says or as
 * the terminal shows. What that needs is loaded only then.
 */
export function peopleLook(): (() => Promise<PeopleLook>) | undefined {
  if (process.env.TODO_PANEL === 'off' || !isOnTerminal() || isDriven()) return undefined;
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

/** A program that types wants no echo of that, or prompts that end in a line of their own, for it to look for. */
function isDriven(): boolean {
  if (process.env.PS1?.endsWith('\n')) return true;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  // It tells of the terminal that is its standard input.
  const { stdout } = spawnSync('stty', ['-a'], { stdio: [1, 'pipe', 'ignore'], encoding: 'utf8' });
  return / -echo\b/.test(stdout ?? '');
}
