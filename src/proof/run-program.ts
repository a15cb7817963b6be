import type { Environment } from '../environment.ts';

/** What a program finds around it. */
export interface Surroundings {
  readonly environment: Environment;
  readonly cwd: string;
}

/** What a program is told, and when it has to end. */
export interface ProgramOptions extends Surroundings {
  /** Its standard input; without it the input stays open for as long as somebody waits for the program. */
  readonly input?: string;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Of its output this many bytes are kept, of the beginning or of the end. */
  readonly keep: 'beginning' | 'end';
}

/** How a program ended. */
export interface Ending {
  /** As a shell has it, which counts a death by signal N as 128 + N; undefined where it was not waited for. */
  readonly exitCode: number | undefined;
  /** As in `exit code 3`. */
  readonly words: string;
  /** What it said on the standard error. */
  readonly said: string;
}

const MAX_BYTES = 8192;
/** What it said may still be on its way when it has ended; what it left running may hold the pipe open for ever. */
const PATIENCE_MS = 100;

/** Runs a program in its own process group, so that what it has started ends with it. Never rejects. */
export async function runProgram(
  [path, ...argv]: readonly [string, ...string[]],
  { environment, cwd, input, limitMs, signal, keep }: ProgramOptions,
): Promise<Ending> {
  // Hardly any call runs a program, and this is slow to load.
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
      if (keep === 'end') said = (said + text).slice(-MAX_BYTES);
      else if (said.length < MAX_BYTES) said += text;
    });
    // It need not read what it is told.
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
    // It has ended just now.
  }
}
