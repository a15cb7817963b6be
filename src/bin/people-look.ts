import type { PeopleLook } from '../panel/for-people.ts';
import { isTerminal } from '../terminal/synchronous-io.ts';

/**
 * How to print lists for a person: on a terminal, unless an agent drives it (TODO_PANEL=off says so, or the terminal shows
 * it). The code for that is only loaded then.
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

/** A program that types turns off echo, or sets a prompt that ends in a newline, which it can search for. */
function isDriven(): boolean {
  if (process.env.PS1?.endsWith('\n')) return true;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  // stty reports on the terminal that is its standard input.
  const { stdout } = spawnSync('stty', ['-a'], { stdio: [1, 'pipe', 'ignore'], encoding: 'utf8' });
  return / -echo\b/.test(stdout ?? '');
}
