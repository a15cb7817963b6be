import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../environment.ts';
import { orElse } from '../system/files.ts';

export interface Surroundings {
  readonly environment: Environment;
  readonly cwd: string;
}

/** For a program without an environment. */
export const NOWHERE: Surroundings = { environment: {}, cwd: '/' };

export interface ProgramOptions extends Surroundings {
  /** Its standard input. If given, background processes may outlive the program; else they are killed. */
  readonly input?: string;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The end of long output that is kept. */
  readonly keep: 'beginning' | 'end';
}

export interface ProgramEnd {
  /** 128 + N for a death by signal N, as in a shell; undefined if it was killed here, or not started. */
  readonly exitCode: number | undefined;
  /** As in `exit code 3`. */
  readonly words: string;
  readonly said: string;
}

/** Runs a program in the process group of a guard, which kills it if the caller dies: descriptor 3 then ends without a line. */
const GUARDED = '((read -r _ || kill -KILL 0) <&3 >/dev/null 2>&1 &); exec 3<&- "$@"';
type Pipes = [stdin: Writable, stdout: null, stderr: Readable, guard: Writable];
const MAX_ERROR_BYTES = 8192;
/** How long to wait for the end of standard error after an exit: background processes may hold it open. */
const PATIENCE_MS = 100;

/** Runs a program in its own process group, so that a kill reaches all that it has started. Never rejects. */
export async function runProgram(
  argv: readonly string[],
  { environment, cwd, input, limitMs, signal, keep }: ProgramOptions,
): Promise<ProgramEnd> {
  // Slow to load, and rarely needed.
  const { spawn } = await import('node:child_process');
  const { constants } = await import('node:os');
  return new Promise((settle) => {
    const program = spawn('bash', ['--norc', '-p', '-c', GUARDED, 'bash', ...argv], {
      cwd,
      env: environment,
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    });
    const [stdin, , stderr, guard] = program.stdio as Iterable<unknown> as Pipes;
    let said = '';
    const end = (words: string, exitCode?: number) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      const isAll = input === undefined || exitCode === undefined;
      const { pid } = program;
      // Fails if all have ended.
      if (isAll && pid !== undefined) orElse(() => process.kill(-pid, 'SIGKILL'), false);
      guard.end('\n');
      stdin.destroy();
      stderr.destroy();
      settle({ exitCode, words, said: said.trim() });
    };
    const cancel = () => end('it was cancelled');
    const timer = setTimeout(() => end(`it took longer than ${limitMs / 1000} s`), limitMs);
    signal?.addEventListener('abort', cancel);
    stderr.setEncoding('utf8').on('data', (text: string) => {
      const all = said + text;
      said = keep === 'end' ? all.slice(-MAX_ERROR_BYTES) : all.slice(0, MAX_ERROR_BYTES);
    });
    // The program may not read its input, and a killed guard reads nothing.
    for (const one of [stdin, guard]) one.on('error', () => {});
    stdin.end(input);
    program.once('error', (error) => end(`it could not be run: ${error.message}`));
    program.once('exit', (exitCode, killedBy) => {
      if (exitCode === 0) return end('', 0);
      const words = killedBy === null ? `exit code ${exitCode}` : `it was killed by ${killedBy}`;
      const code = killedBy === null ? exitCode : 128 + constants.signals[killedBy];
      const last = () => end(words, code ?? undefined);
      const rest = setTimeout(last, PATIENCE_MS);
      stderr.once('close', () => {
        clearTimeout(rest);
        last();
      });
    });
    if (signal?.aborted) cancel();
  });
}
