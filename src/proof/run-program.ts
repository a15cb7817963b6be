import type { Environment } from '../environment.ts';

export interface Surroundings {
  readonly environment: Environment;
  readonly cwd: string;
}

export interface ProgramOptions extends Surroundings {
  /** Its standard input. Unless given, it stays open until the program has ended. */
  readonly input?: string;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The end of long output that is kept. */
  readonly keep: 'beginning' | 'end';
}

export interface Ending {
  /** 128 + N for a death by signal N, as in a shell; undefined if it was killed here, or not started. */
  readonly exitCode: number | undefined;
  /** As in `exit code 3`. */
  readonly words: string;
  readonly said: string;
}

const MAX_BYTES = 8192;
/** How long to wait for the end of standard error after an exit: background processes may hold it open. */
const PATIENCE_MS = 100;

/** Runs a program in its own process group, so that a kill reaches all that it has started. Never rejects. */
export async function runProgram(
  [path, ...argv]: readonly [string, ...string[]],
  { environment, cwd, input, limitMs, signal, keep }: ProgramOptions,
): Promise<Ending> {
  // Slow to load, and rarely needed.
  const { spawn } = await import('node:child_process');
  const { constants } = await import('node:os');
  return new Promise((settle) => {
    const program = spawn(path, argv, {
      cwd,
      env: environment,
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    const end = (words: string, exitCode?: number) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      program.stdin.destroy();
      program.stderr.destroy();
      settle({ exitCode, words, said: said.trim() });
    };
    const kill = (words: string) => {
      if (program.pid !== undefined) killGroup(program.pid);
      end(words);
    };
    const cancel = () => kill('it was cancelled');
    const timer = setTimeout(() => kill(`it took longer than ${limitMs / 1000} s`), limitMs);
    signal?.addEventListener('abort', cancel);
    program.stderr.setEncoding('utf8').on('data', (text: string) => {
      const all = said + text;
      said = keep === 'end' ? all.slice(-MAX_BYTES) : all.slice(0, MAX_BYTES);
    });
    // The program may not read its input.
    program.stdin.on('error', () => {});
    if (input !== undefined) program.stdin.end(input);
    program.once('error', (error) => end(`it could not be run: ${error.message}`));
    program.once('exit', (exitCode, killedBy) => {
      if (exitCode === 0) return end('', 0);
      const words = killedBy === null ? `exit code ${exitCode}` : `it was killed by ${killedBy}`;
      const code = killedBy === null ? exitCode : 128 + constants.signals[killedBy];
      const last = () => end(words, code ?? undefined);
      const rest = setTimeout(last, PATIENCE_MS);
      program.stderr.once('close', () => {
        clearTimeout(rest);
        last();
      });
    });
    if (signal?.aborted) cancel();
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
