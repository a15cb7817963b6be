import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import {
  type AgentBashHandler,
  type CommandResult,
  executeSafely,
} from '../../src/command/agent-command.ts';
import { BEFORE_LINE_1, ENV } from './bash.ts';
import { temporaryDirectory } from './files.ts';

// Shares nothing with agent-shell's scripts: the content of files is the message, and their names are the signals.
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

/** A plain bash for each line, with a stub of one agent command on its PATH that calls the handler. */
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

  /** Like `bash -c LINE`; undefined if it takes longer than the limit. */
  async run(line: string, cwd: string, timeoutMs: number): Promise<CommandResult | undefined> {
    const begin = performance.now();
    const argv = ['-s', 'KILL', `${timeoutMs / 1000}`, 'bash', '-c', BEFORE_LINE_1 + line];
    const options = { cwd, env: this.environment(), maxBuffer: 1e9 };
    const running = promisify(execFile)('timeout', argv, options);
    running.child.stdin?.end();
    const { stdout, stderr, code, signal } = await running.catch((error) => error);
    if (performance.now() - begin >= timeoutMs) return undefined;
    const signalled = 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
    return { stdout, stderr, exitCode: signal ? signalled : (code ?? 0) };
  }

  environment(): Record<string, string | undefined> {
    // Ends a function that a slip made recursive before the stack does.
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
    // Renamed when complete.
    writeFileSync(`${call}.part`, `${exitCode}`);
    renameSync(`${call}.part`, `${call}.code`);
  }
}
