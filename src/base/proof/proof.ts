import type { CommandResult, Invocation } from '../command/agent-command.ts';
import { noteLines } from '../command/replies.ts';
import { LONGEST_TIMER_MS } from '../command/time-limit.ts';
import type { Shape } from '../json/stored.ts';
import { commandText, safeText } from '../safe-text.ts';
import checkScript from './run-check.sh';
import { NOWHERE, runProgram, type Surroundings } from './run-program.ts';

/** The record of a check that exited with 0. No input can set it. */
export interface Proof {
  /** The line that ran it. */
  readonly command: string;
  readonly exitCode: 0;
  /** The time of its end, as in `2026-01-31T12:00:00.000Z`. */
  readonly at: string;
  /** The agent in whose session it ran. */
  readonly by: string;
}

/** As stored. */
export const PROOF: Shape = {
  has: { command: 'text', exitCode: (code) => code === 0, at: 'time', by: 'text' },
};

export interface Failure {
  readonly failed: string;
}

type Call = Pick<Invocation, 'surroundings' | 'whyNotRun' | 'tell' | 'signal'>;

export interface CheckOptions {
  readonly by: string;
  readonly now: () => Date;
  /** TODO_PROOF_TIMEOUT, in seconds. */
  readonly timeout: number;
  /** Where checks run if the call has no surroundings. Without it, such a call can run none. */
  readonly around?: Surroundings | undefined;
}

/**
 * The only agent commands that run programs. People and harnesses remember permission by the first word of a line, so what can
 * run anything has a name of its own. agent-command.sh has the same names.
 */
export const PROVERS: ReadonlySet<string> = new Set(['TodoProve', 'TaskProve']);

/** Set for checks: a check that asks for its own proof would never end. */
const PROVING = 'TODO_PROVING';
const MAX_COMMAND_CHARACTERS = 500;
const MAX_SAID_LINES = 8;
const MAX_SAID_CHARACTERS = 600;

/** Runs the checks of one call. */
export class CheckRunner {
  readonly #call: Call;
  readonly #options: CheckOptions;
  readonly #runs = new Map<string, Promise<Proof | Failure>>();
  /** Notes for the result, if the call cannot print them while checks run. */
  #untold = '';

  constructor(call: Call, options: CheckOptions) {
    this.#call = call;
    this.#options = options;
  }

  /** Runs a check, at most once in a call. */
  run(check: string): Promise<Proof | Failure> {
    const running = this.#runs.get(check) ?? this.#run(check);
    this.#runs.set(check, running);
    return running;
  }

  /** Adds notes on the checks that were run to the result, unless the caller has seen them. */
  told(result: CommandResult): CommandResult {
    const notes = this.#untold;
    return notes === '' ? result : { ...result, stderr: notes + result.stderr };
  }

  async #run(check: string): Promise<Proof | Failure> {
    // 1. Refuse it, or say that it runs.
    const { surroundings = '', signal } = this.#call;
    const { around = NOWHERE, timeout, by, now } = this.#options;
    if (surroundings === '' && around === NOWHERE) {
      return { failed: 'there is no shell here to run it in' };
    }
    const { environment } = around;
    const isNested = environment[PROVING] !== undefined || hasExport(surroundings, PROVING);
    if (isNested) return { failed: 'a check cannot ask for proof itself' };
    const refusal = await this.#call.whyNotRun?.(check);
    if (refusal !== undefined) return { failed: refusal };
    this.#tell(`running the check: ${commandText(check, MAX_COMMAND_CHARACTERS)}`);
    // 2. Run it. Surroundings bring their own directory and environment.
    const start = surroundings === '' ? around : NOWHERE;
    const { exitCode, words, said } = await runProgram(
      ['bash', '--norc', '-p', '-c', checkScript, 'check', check, surroundings],
      {
        environment: { ...start.environment, [PROVING]: '1' },
        cwd: start.cwd,
        limitMs: Math.min(timeout * 1000, LONGEST_TIMER_MS),
        signal,
        keep: 'end',
      },
    );
    // 3. Report its end.
    if (exitCode !== 0) return { failed: said === '' ? words : `${words}\n${lastLines(said)}` };
    const command = commandText(check.trim(), MAX_COMMAND_CHARACTERS);
    return Object.freeze({ command, exitCode: 0, at: now().toISOString(), by });
  }

  #tell(text: string): void {
    const note = noteLines([text]);
    if (this.#call.tell) this.#call.tell(note);
    else this.#untold += note;
  }
}

/** @param what as in `item 2 is unproven`. @param call an example that runs the check. */
export function unprovenText(what: string, check: string, call: string): string {
  return `${what}; to run its check (${commandText(check, MAX_SAID_CHARACTERS)}): ${call}`;
}

export function failedText(what: string, check: string, { failed }: Failure): string {
  return `${what}: ${commandText(check, MAX_SAID_CHARACTERS)} failed: ${failed}`;
}

function hasExport(surroundings: string, name: string): boolean {
  return new RegExp(`^(?:declare -\\w+|export) ${name}=`, 'm').test(surroundings);
}

/** The last lines, each safe to print. */
function lastLines(said: string): string {
  const lines = said
    .slice(-MAX_SAID_CHARACTERS)
    .split('\n')
    .slice(-MAX_SAID_LINES)
    .map((line) => `  ${safeText(line.trimEnd())}`);
  return lines.join('\n');
}
