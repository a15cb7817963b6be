import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type {
  AgentBashHandler,
  CommandResult,
  Invocation,
} from '../../src/base/command/agent-command.ts';
import { orAsTyped, QUOTES_BROKE } from '../../src/base/json/json-input.ts';
import { BEFORE_LINE_1, ENV } from './bash.ts';
import { temporaryDirectory } from './files.ts';

// One command twice: for a plain bash and for a session. It records its arguments and its input, and tells them.

const NAME = 'TodoWrite';
const STUB = `#!/bin/bash -p
input=
case \${1--} in -) input=$(cat; echo .) ;; esac
input=\${input%.}
printf '%s\\0' CALL "$@" "$input" >>"\${0%/*}/calls"
printf 'read %s\\n' "$input" >&2
printf '%s: %s\\n' "$#" "$*"
all=$*$input
exit $((\${#all} % 3))
`;

const FORM = {
  ...{ name: NAME, noun: 'list', example: '', usage: { missing: '', invalid: '' } },
  validate: (value: unknown) => ({ value, notes: [] }),
};
const AS_READ = { value: undefined, notes: [] };

export class Recorder implements AgentBashHandler {
  readonly name = NAME;
  readonly readsRawJson = true;
  #calls = '';

  async execute({ argv, stdin, raw }: Invocation): Promise<CommandResult> {
    const [first = raw ? '' : '-'] = argv;
    const input = first === '-' ? await stdin() : '';
    this.#calls += ['CALL', ...argv, input].map((field) => `${field}\0`).join('');
    const isMended = orAsTyped(FORM, { argv, raw }, AS_READ) !== AS_READ;
    return {
      stdout: `${argv.length}: ${argv.join(' ')}\n`,
      stderr: isMended ? `Note: ${QUOTES_BROKE}\n` : `read ${input}\n`,
      exitCode: [...argv.join(' '), ...input].length % 3,
    };
  }

  /** Returns the calls since the last time. */
  take(): string {
    const calls = this.#calls;
    this.#calls = '';
    return calls;
  }
}

/** A plain bash for each line. */
export class PlainShell {
  readonly #directory = temporaryDirectory();
  readonly #calls = join(this.#directory, 'calls');
  // FUNCNEST ends a function that a slip made recursive before the stack does.
  readonly #env = { ...ENV, PATH: `${this.#directory}:${ENV.PATH}`, FUNCNEST: '50', SHLVL: '1' };

  constructor() {
    writeFileSync(join(this.#directory, NAME), STUB, { mode: 0o755 });
  }

  /** Like `bash -c LINE`; undefined if it takes longer than the limit. */
  async run(line: string, cwd: string, timeoutMs: number) {
    rmSync(this.#calls, { force: true });
    const begin = performance.now();
    const argv = ['-s', 'KILL', `${timeoutMs / 1000}`, 'bash', '-c', BEFORE_LINE_1 + line];
    const running = promisify(execFile)('timeout', argv, { cwd, env: this.#env, maxBuffer: 1e9 });
    running.child.stdin?.end();
    const { stdout, stderr, code, signal } = await running.catch((error) => error);
    if (performance.now() - begin >= timeoutMs) return undefined;
    const signalled = 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
    const exitCode = signal ? signalled : (code ?? 0);
    const calls = existsSync(this.#calls) ? readFileSync(this.#calls, 'utf8') : '';
    return { stdout, stderr, exitCode, calls };
  }
}
