import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type AgentBashHandler,
  type CommandResult,
  executeSafely,
} from '../../src/command/agent-command.ts';
import { BEFORE_LINE_1, ENV } from './bash.ts';
import { temporaryDirectory } from './files.ts';

// It shares nothing with the scripts of the agent shell: files hold what is said, and their names say when.
const STUB = `#!/bin/bash -p
id=$$.$EPOCHREALTIME here=\${0%/*}
call=$here/$id
printf '%s\\0' "$@" >"$call.argv"
[ "\${1--}" != - ] || cat >"$call.stdin"
echo "$id $#" >"$here/calls"
until [ -e "$call.code" ]; do read -r -t 0.001 <>"$here/nothing"; done
for part in err out code; do IFS= read -r -d '' $part <"$call.$part"; done
printf %s "$err" >&2
printf %s "$out"
exit "$code"
`;

/** A plain bash for each line, with a stub of one agent command on its PATH that does what the handler does. */
export class PlainShell {
  readonly #handler: AgentBashHandler;
  readonly #directory = temporaryDirectory();
  readonly #listener: ChildProcess;

  constructor(handler: AgentBashHandler) {
    this.#handler = handler;
    const calls = join(this.#directory, 'calls');
    execFileSync('mkfifo', [calls, join(this.#directory, 'nothing')]);
    writeFileSync(join(this.#directory, handler.name), STUB);
    chmodSync(join(this.#directory, handler.name), 0o755);
    this.#listener = spawn('bash', ['-c', 'exec cat <>"$0"', calls], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: ENV,
    });
    createInterface({ input: this.#listener.stdout as NodeJS.ReadableStream }).on(
      'line',
      (line) => {
        const [id = '', count] = line.split(' ');
        void this.#answer(join(this.#directory, id), Number(count));
      },
    );
  }

  /** What `bash -c LINE` gives; undefined when it takes longer than the limit. */
  async run(line: string, cwd: string, timeoutMs: number): Promise<CommandResult | undefined> {
    const child = spawn('bash', ['-c', BEFORE_LINE_1 + line], {
      cwd,
      env: this.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let isKilled = false;
    const timer = setTimeout(() => {
      isKilled = true;
      try {
        process.kill(-(child.pid as number), 'SIGKILL');
      } catch {
        // What still holds its output open is in a group of its own.
      }
    }, timeoutMs);
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk) => stdout.push(chunk));
    child.stderr.on('data', (chunk) => stderr.push(chunk));
    const [code, signal] = await once(child, 'close');
    clearTimeout(timer);
    if (isKilled) return undefined;
    return {
      stdout: Buffer.concat(stdout).toString(),
      stderr: Buffer.concat(stderr).toString(),
      exitCode: code ?? 128 + constants.signals[signal as NodeJS.Signals],
    };
  }

  environment(): Record<string, string | undefined> {
    // A function that a slip made call itself ends here, and not if the stack does.
    return { ...ENV, PATH: `${this.#directory}:${ENV.PATH}`, FUNCNEST: '50', SHLVL: '1' };
  }

  dispose(): void {
    this.#listener.kill();
  }

  async #answer(call: string, count: number): Promise<void> {
    const argv = readFileSync(`${call}.argv`, 'utf8').split('\0').slice(0, count);
    const stdin = async () =>
      existsSync(`${call}.stdin`) ? readFileSync(`${call}.stdin`, 'utf8') : '';
    const { stdout, stderr, exitCode } = await executeSafely(this.#handler, { argv, stdin });
    writeFileSync(`${call}.out`, stdout);
    writeFileSync(`${call}.err`, stderr);
    // Its name comes last, when all is there.
    writeFileSync(`${call}.part`, `${exitCode}`);
    renameSync(`${call}.part`, `${call}.code`);
  }
}
