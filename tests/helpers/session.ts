import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AgentBashHandler } from '../../src/base/command/agent-command.ts';
import { BashSession, type BashSessionOptions } from '../../src/shell/bash/bash-session.ts';
import { BashRouter } from '../../src/shell/router/bash-router.ts';
import type { BashRouterOptions } from '../../src/shell/router/router-options.ts';
import { ENV } from './bash.ts';
import { temporaryDirectory } from './files.ts';
import { forAllTests } from './for-all-tests.ts';

export interface TestSession extends BashSession {
  /** For its private files only. */
  readonly tmp: string;
}

type TestSessionOptions = Partial<Omit<BashSessionOptions, 'handlers'>> & {
  handlers?: readonly AgentBashHandler[];
};

/** A session that ends with the test. It starts in its own directory by default. */
export function startSession(
  options: TestSessionOptions = {},
  finished = onTestFinished,
): TestSession {
  const tmp = temporaryDirectory(finished);
  const session = new BashSession({
    cwd: temporaryDirectory(finished),
    ...options,
    env: { ...ENV, TMPDIR: tmp, ...options.env },
    handlers: new Map(options.handlers?.map((handler) => [handler.name, handler])),
  });
  finished(() => session.dispose());
  return Object.assign(session, { tmp });
}

/** A router that ends with the test. It starts in its own directory. */
export function startRouter(
  { env, ...options }: BashRouterOptions = {},
  finished = onTestFinished,
) {
  const [tmp, cwd] = [temporaryDirectory(finished), temporaryDirectory(finished)];
  const router = new BashRouter({ cwd, env: { ...ENV, TMPDIR: tmp, ...env }, ...options });
  finished(() => router.dispose());
  return { router, tmp, cwd, has: (name: string) => existsSync(join(cwd, name)) };
}

/** The result of a line. */
export const printed = (stdout = '', stderr = '', exitCode = 0) => ({ stdout, stderr, exitCode });

/** That of `echo next`. */
export const NEXT = printed('next\n');

/** The note of a line that ended its bash. */
export const BASH_ENDED =
  /^agent-shell: bash ended(?: \((?:SIG[A-Z]+|its `builtin` is hidden or disabled)\))?; the next line starts in a fresh bash in \/.*\n/m;

export function withoutBashEnded<R extends { stderr: string }>(result: R): R {
  return { ...result, stderr: result.stderr.replace(BASH_ENDED, '') };
}

/** Shared by tests whose lines do not affect each other. */
export const sharedSession = (options: TestSessionOptions = {}): (() => TestSession) =>
  forAllTests((finished) => startSession(options, finished));
