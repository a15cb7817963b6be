import type { PeopleLook } from '../panel/for-people.ts';
import { orElse } from '../system/files.ts';
import { isTerminal } from '../system/standard-io.ts';
import { isDriven } from '../terminal/driven.ts';

/** Returns undefined unless a person reads the output: on a terminal, without TODO_PANEL=off, that no program drives. */
export function peopleLook(): (() => Promise<PeopleLook>) | undefined {
  const { env } = process;
  if (env.CI || env.TODO_PANEL === 'off' || (env.TERM || 'dumb') === 'dumb') return undefined;
  if (!isOnTerminal() || isDriven(env, 1)) return undefined;
  return async () => {
    const { stdout, env } = process;
    const { themeFor } = await import('../panel/theme.ts');
    return { theme: themeFor(stdout, env), columns: stdout.columns || 80, now: Date.now() };
  };
}

function isOnTerminal(): boolean {
  // It may be closed.
  return orElse(() => isTerminal(1), false);
}
