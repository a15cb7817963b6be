import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { safeText } from '../safe-text.ts';
import type { Reason } from './refused.ts';
import type { Task } from './task.ts';

export type HookName = 'task-created' | 'task-completed';

/** What a hook is told about a change: the tasks as they would be after it. */
export interface HookChange {
  readonly tasks: readonly Task[];
}

/** Where hooks are, and what they find around them. */
export interface HookOptions {
  /** The folder that the hooks are in; undefined where there are none. */
  readonly directory: string | undefined;
  /** What a hook finds as its environment and its current directory. */
  readonly environment: Environment;
  readonly cwd: string;
  readonly limitMs?: number;
}

/** So long a hook may take. */
const LIMIT_MS = 30_000;
const MAX_REASON_CHARACTERS = 1000;
/** More than this of what a hook prints is not kept. */
const MAX_STDERR_BYTES = 8192;

/**
 * Asks the hook of that name, with the change as one line of JSON on its standard input. Exit code 0 lets the change
 * pass, all else refuses it. A file that is missing, or that may not be executed, is no hook.
 *
 * @returns why the change is refused; undefined where it may be made.
 */
export async function askHook(
  name: HookName,
  change: HookChange & { readonly agent: string | undefined },
  options: HookOptions,
): Promise<Reason | undefined> {
  if (options.directory === undefined) return undefined;
  const path = resolve(options.cwd, options.directory, name);
  if (!isExecutable(path)) return undefined;
  const refusal = await run([path], `${JSON.stringify({ event: name, ...change })}\n`, options);
  if (refusal === undefined) return undefined;
  return {
    code: 'refused_by_hook',
    text: `${name}: ${safeText(refusal.trim(), MAX_REASON_CHARACTERS)}`,
  };
}

/** So long a check of a task may take. */
const CHECK_LIMIT_MS = 10 * 60_000;

/** Runs a command that proves something. @returns why it does not; undefined where it ended with 0. */
export async function runCheck(
  command: string,
  options: Omit<HookOptions, 'directory'>,
): Promise<string | undefined> {
  // What it prints is of interest where it fails, on whichever stream.
  const argv = ['bash', '-c', 'exec 1>&2; eval "$1"', 'check', command] as const;
  const why = await run(argv, '', { limitMs: CHECK_LIMIT_MS, ...options });
  return why === undefined ? undefined : safeText(why.trim(), MAX_REASON_CHARACTERS);
}

function isExecutable(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns why it did not let the change pass. */
async function run(
  [path, ...argv]: readonly [string, ...string[]],
  input: string,
  { environment, cwd, limitMs = LIMIT_MS }: Omit<HookOptions, 'directory'>,
): Promise<string | undefined> {
  // Hardly any call has a hook, and this is slow to load.
  const { spawn } = await import('node:child_process');
  return new Promise((settle) => {
    // A process group of its own, so that what it has started ends with it.
    const hook = spawn(path, argv, {
      cwd,
      env: environment,
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const timer = setTimeout(() => {
      end(`it took longer than ${limitMs / 1000} s`);
      if (hook.pid !== undefined) killGroup(hook.pid);
    }, limitMs);
    let said = '';
    const end = (reason: string | undefined) => {
      clearTimeout(timer);
      hook.stdin.destroy();
      hook.stderr.destroy();
      settle(reason);
    };
    hook.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < MAX_STDERR_BYTES) said += text;
    });
    // It need not read what it is told.
    hook.stdin.on('error', () => {}).end(input);
    hook.once('error', (error) => end(`it could not be run: ${error.message}`));
    hook.once('exit', (exitCode, signal) => {
      if (exitCode === 0) return end(undefined);
      const ending = exitCode === null ? `it died of ${signal}` : `exit code ${exitCode}`;
      // What it said may still be on its way; what it left running may hold the pipe open for ever.
      const rest = setTimeout(() => end(said.trim() || ending), 100);
      hook.stderr.once('close', () => {
        clearTimeout(rest);
        end(said.trim() || ending);
      });
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended just now.
  }
}
