import { onTestFinished } from 'vitest';
import { BashSession, type BashSessionOptions } from '../../src/bash/bash-session.ts';
import type { AgentBashHandler } from '../../src/command/agent-command.ts';
import { ENV } from './bash.ts';
import { temporaryDirectory } from './files.ts';

export interface TestSession extends BashSession {
  /** Where its private files are, and nothing else. */
  readonly tmp: string;
}

/** A session that ends with the test. It starts in a directory of its own by default. */
export function startSession(
  options: Partial<Omit<BashSessionOptions, 'handlers'>> & {
    handlers?: readonly AgentBashHandler[];
  } = {},
): TestSession {
  const tmp = temporaryDirectory();
  const session = new BashSession({
    cwd: temporaryDirectory(),
    ...options,
    env: { ...ENV, TMPDIR: tmp, ...options.env },
    handlers: new Map(options.handlers?.map((handler) => [handler.name, handler])),
  });
  onTestFinished(() => session.dispose());
  return Object.assign(session, { tmp });
}
