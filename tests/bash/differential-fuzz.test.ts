import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { BashSession } from '../../src/bash/bash-session.ts';
import type {
  AgentBashHandler,
  CommandResult,
  Invocation,
} from '../../src/command/agent-command.ts';
import { quote } from '../../src/line/quotes.ts';
import { BashRouter } from '../../src/router/bash-router.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { bashIsSince, ENV } from '../helpers/bash.ts';
import { ComposedLines } from '../helpers/composed-lines.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { PlainShell } from '../helpers/plain-shell.ts';
import { Random } from '../helpers/random.ts';
import { withoutBashEnded } from '../helpers/session.ts';

// TEST_SEED and TEST_FUZZ_LINES go looking for more; without them a change is judged by the same lines as the one before.
const SEED = Number(process.env.TEST_SEED ?? 20261121);
const COUNT = Number(process.env.TEST_FUZZ_LINES ?? 100);
/** A file for all differences. */
const REPORT = process.env.TEST_FUZZ_REPORT;
const LANES = 2;
const LIMIT_MS = 5_000;
/** What differs is run again, with more time. */
const ATTEMPTS = 3;

/** What one line did. */
interface Outcome extends CommandResult {
  /** What TodoWrite was called with, and the list after each call. */
  calls: unknown[];
}

/** A TodoWrite on its own list that remembers its calls. */
class RecordedTodoWrite implements AgentBashHandler {
  readonly name = 'TodoWrite';
  readonly readsRawJson = true;
  readonly #store = new TodoStore();
  readonly #handler = new TodoWriteHandler(this.#store);
  #calls: unknown[] = [];

  async execute(invocation: Invocation): Promise<CommandResult> {
    let read: string | null = null;
    const stdin = async () => {
      read = await invocation.stdin();
      return read;
    };
    const result = await this.#handler.execute({ ...invocation, stdin });
    this.#calls.push({ argv: invocation.argv, stdin: read, list: this.#store.get().items });
    return result;
  }

  /** The calls since the last time; the list is empty again. */
  take(): unknown[] {
    const calls = this.#calls;
    this.#calls = [];
    this.#store.clear();
    return calls;
  }
}

/** Runs lines through a router whose one bash lasts, and makes it forget the line before each. */
class RoutedShell {
  readonly #todoWrite = new RecordedTodoWrite();
  readonly #options: { env: Record<string, string | undefined>; cwd: string };
  #router: BashRouter | undefined;
  #line = '';
  lateCount = 0;

  constructor(env: Record<string, string | undefined>) {
    this.#options = { env: { ...env, TMPDIR: temporaryDirectory() }, cwd: temporaryDirectory() };
  }

  async run(line: string, cwd: string, timeoutMs: number): Promise<Outcome> {
    this.#router ??= new BashRouter({
      handlers: [this.#todoWrite],
      shell: (handlers) => new BashSession({ ...this.#options, handlers }),
    });
    const reset = await this.#router.route(`${FORGET} cd ${quote(cwd)}; true`);
    expect(reset.exitCode, `${reset.stderr} after ${this.#line}`).toBe(0);
    this.#line = line;
    // A line that bash gives up may leave commands that still run: plain bash has ended then, and they are waited for.
    if (reset.stdout || reset.stderr || this.#todoWrite.take().length > 0) this.lateCount += 1;
    const { stdout, stderr, exitCode } = await this.#router.route(line, { timeoutMs });
    return { stdout, stderr, exitCode, calls: this.#todoWrite.take() };
  }

  async dispose(): Promise<void> {
    await this.#router?.dispose();
    this.#router = undefined;
  }
}

const FORGET = `set +ef +o pipefail +o posix; exec 3>&- 4>&-; trap - ERR; shopt -u nullglob inherit_errexit; set --;
  unset -v v w text json arr FOO REPLY n n1 n2 n3 k1 k2 k3; unset -f f; IFS=$' \\t\\n';`;

const END_OF_FILE = 'syntax error: unexpected end of file';
const ANOTHER_END = "unexpected EOF while looking for matching `)'";

/** What old bashes count and word in another way where an eval is within a substitution. */
const withoutNumbers = (stderr: string) =>
  stderr.replace(/\bline \d+/g, 'line N').replaceAll(END_OF_FILE, ANOTHER_END);

/** Makes equal what differs of necessity, each with its reason. */
function sameAsRouted(plain: Outcome, routed: Outcome): Outcome {
  // The options in $- have a c only in a bash -c.
  plain = JSON.parse(JSON.stringify(plain).replaceAll('hBc', 'hB'));
  let { stdout, stderr, exitCode } = plain;
  // A line of -c and one of eval are named differently in syntax errors.
  stderr = stderr.replaceAll('bash: -c: line', 'bash: eval: line');
  // The source of a function is the script; a bash -c has none and says "environment".
  stderr = stderr.replace(/environment: (?=line|eval|command substitution)/g, 'bash: ');
  stdout = stdout.replace(/environment: (?=line|eval)/g, 'bash: ');
  // After an error within a substitution bash 5.2 words the next end of file in another way.
  if (routed.stderr.includes(ANOTHER_END)) stderr = stderr.replaceAll(END_OF_FILE, ANOTHER_END);
  // No two processes have the same number.
  stderr = stderr.replace(/pid \d+ is not/g, 'pid N is not');
  if (!bashIsSince(5, 2) && withoutNumbers(stderr) === withoutNumbers(routed.stderr))
    stderr = routed.stderr;
  const isFatal = /syntax error|unexpected|bad substitution|value too great|operator expected/.test(
    stderr,
  );
  // A name that is nearly that of a command is answered by a program of ours on PATH, not by bash.
  stderr = stderr.replace(/^bash: (?:line \d+: )?(\w+): command not found$/gm, (message, name) => {
    const answer = `${name}: command not found; did you mean TodoWrite?`;
    return routed.stderr.includes(answer) ? answer : message;
  });
  // An error that ends bash ends a -c with 127, and a script, which is what the session's bash runs, with 1.
  if (exitCode === 127 && routed.exitCode === 1 && (isFatal || stderr === '')) exitCode = 1;
  // So it is for the ERR trap of preamble.
  if (isFatal) stdout = stdout.replaceAll('failed 127', 'failed 1');
  // After an error of syntax in a later line, -c gives the exit code of the line before it, eval that of the error; of
  // an unfinished for (( there is no message.
  if (routed.exitCode === 2 && (isFatal || stderr === '')) exitCode = 2;
  return { ...plain, stdout, stderr, exitCode };
}

/** Without the hint after a syntax error and the note of a bash that ended, which are additions of ours. */
function withoutHint(routed: Outcome, plainStderr: string): Outcome {
  let { stderr } = withoutBashEnded(routed);
  // The note begins a line of its own.
  if (stderr !== routed.stderr && stderr === `${plainStderr}\n`) stderr = plainStderr;
  stderr = stderr
    .replace(/^Note: pass the JSON as a heredoc[\s\S]*\nEOF\n/m, '')
    .replace(/pid \d+ is not/g, 'pid N is not');
  return { ...routed, stderr };
}

/** What is fixed does in the router what no plain bash does, which cannot read it. */
function isMended(plain: Outcome, routed: Outcome): boolean {
  return (
    routed.stderr.includes('Note: read the JSON as it was typed') &&
    /unexpected|syntax error/.test(plain.stderr) &&
    plain.exitCode === 2 &&
    plain.calls.length === 0
  );
}

/** Commands that run at once write in any order. */
function inAnyOrder(outcome: Outcome): Outcome {
  return { ...outcome, stderr: outcome.stderr.split('\n').sort().join('\n') };
}

test(
  `${COUNT} random composed lines do in the router what they do in a plain bash`,
  async () => {
    console.log(`differential fuzz: TEST_SEED=${SEED} TEST_FUZZ_LINES=${COUNT}`);
    const lines = new ComposedLines(new Random(SEED));
    const root = temporaryDirectory();
    const differences: string[] = [];
    const count = { lines: 0, runs: 0, calls: 0, skipped: 0, mended: 0, transient: 0, late: 0 };

    async function lane(): Promise<void> {
      const todoWrite = new RecordedTodoWrite();
      const plain = new PlainShell(todoWrite);
      const routed = new RoutedShell({ ...ENV, FUNCNEST: '50', SHLVL: '1' });
      onTestFinished(async () => {
        plain.dispose();
        await routed.dispose();
      });

      async function compare(line: string, attempt: number) {
        const limitMs = attempt * LIMIT_MS;
        count.runs += 1;
        const [plainDirectory, routedDirectory] = ['plain', 'routed'].map((name) => {
          const directory = join(root, String(count.runs), name);
          mkdirSync(directory, { recursive: true });
          return directory;
        }) as [string, string];
        const [result, outcome] = await Promise.all([
          plain.run(line, plainDirectory, limitMs),
          routed.run(line, routedDirectory, limitMs),
        ]);
        const calls = todoWrite.take();
        count.calls += calls.length;
        if (result === undefined) return 'too long';
        const received = withoutHint(outcome, result.stderr);
        const expected = sameAsRouted({ ...result, calls }, received);
        if (isMended(expected, outcome)) return 'mended';
        const same = attempt === 1 ? (of: Outcome) => of : inAnyOrder;
        return isDeepStrictEqual(same(received), same(expected))
          ? 'same'
          : { line, expected, received };
      }

      while (count.lines < COUNT) {
        count.lines += 1;
        const number = count.lines;
        const line = lines.next();
        let comparison = await compare(line, 1);
        // What comes but now and then is a matter of time, in the line or in bash, and not of what the line means.
        const isSettled = () => comparison === 'same' || comparison === 'mended';
        for (let attempt = 2; attempt <= ATTEMPTS && !isSettled(); attempt++) {
          comparison = await compare(line, attempt);
          count.transient += isSettled() ? 1 : 0;
        }
        count.skipped += comparison === 'too long' ? 1 : 0;
        count.mended += comparison === 'mended' ? 1 : 0;
        count.late += routed.lateCount;
        routed.lateCount = 0;
        if (typeof comparison === 'object') {
          differences.push(JSON.stringify({ number, ...comparison }, null, 1));
        }
      }
    }

    await Promise.all(Array.from({ length: LANES }, lane));
    console.log(JSON.stringify(count));
    if (REPORT) writeFileSync(REPORT, differences.join('\n'));
    expect(differences.slice(0, 5).join('\n'), `seed ${SEED}: ${differences.length} differ`).toBe(
      '',
    );
    // That there was something to compare.
    expect(count.calls).toBeGreaterThan(COUNT / 4);
    expect(count.skipped + count.late).toBeLessThan(Math.max(10, COUNT / 100));
    expect(count.transient).toBeLessThan(COUNT / 10);
  },
  60_000 + COUNT * 1_000,
);
