import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { CommandResult } from '../../../src/base/command/agent-command.ts';
import { quote } from '../../../src/base/line/quotes.ts';
import { bashIsSince } from '../../helpers/bash.ts';
import { ComposedLines } from '../../helpers/composed-lines.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { PlainShell, Recorder } from '../../helpers/plain-shell.ts';
import { Random } from '../../helpers/random.ts';
import { startRouter, withoutBashEnded } from '../../helpers/session.ts';

// TEST_SEED and TEST_FUZZ_LINES try other and more lines; by default each run has the same.
const SEED = Number(process.env.TEST_SEED ?? 20261121);
const COUNT = Number(process.env.TEST_FUZZ_LINES ?? 60);
const LANES = 2;
const LIMIT_MS = 5_000;
/** Runs of a line that differs: whether a command is killed by the end of its pipe is a race, in any bash. */
const ATTEMPTS = 10;

interface Outcome extends CommandResult {
  calls: string;
}

/** Runs lines in one lasting bash, and resets its state before each. */
class RoutedShell {
  readonly #recorder = new Recorder();
  readonly #router = startRouter({
    handlers: [this.#recorder],
    env: { FUNCNEST: '50', SHLVL: '1' },
  }).router;
  #line = '';
  lateCount = 0;

  async run(line: string, cwd: string, timeoutMs: number): Promise<Outcome> {
    const reset = await this.#router.route(`${FORGET} cd ${quote(cwd)}; true`);
    expect(reset.exitCode, `${reset.stderr} after ${this.#line}`).toBe(0);
    this.#line = line;
    // After an error, commands of the line may still run, as after the end of plain bash: wait for them.
    if (reset.stdout || reset.stderr || this.#recorder.take()) this.lateCount += 1;
    const { stdout, stderr, exitCode } = await this.#router.route(line, { timeoutMs });
    return { stdout, stderr, exitCode, calls: this.#recorder.take() };
  }
}

const FORGET = `set +e +o pipefail +o posix; exec 3>&- 4>&-; trap - ERR; shopt -u inherit_errexit; set --;
  unset -v v w text json FOO REPLY; unset -f f; IFS=$' \\t\\n';`;

const END_OF_FILE = 'syntax error: unexpected end of file';
const ANOTHER_END = "unexpected EOF while looking for matching `)'";

/** Messages that differ in old bashes for an eval within a substitution. */
const withoutNumbers = (stderr: string) =>
  stderr.replace(/\bline \d+/g, 'line N').replaceAll(END_OF_FILE, ANOTHER_END);

/** Removes the inevitable differences. */
function sameAsRouted(plain: Outcome, routed: Outcome): Outcome {
  // $- has a c only in bash -c.
  plain = JSON.parse(JSON.stringify(plain).replaceAll('hBc', 'hB'));
  let { stdout, stderr, exitCode } = plain;
  // Syntax errors name -c or eval.
  stderr = stderr.replaceAll('bash: -c: line', 'bash: eval: line');
  // The source of a function is the script; a bash -c has none and says "environment".
  stderr = stderr.replace(/environment: (?=line|eval|command substitution)/g, 'bash: ');
  stdout = stdout.replace(/environment: (?=line|eval)/g, 'bash: ');
  // After an error within a substitution, bash 5.2 has another message for the next end of file.
  if (routed.stderr.includes(ANOTHER_END)) stderr = stderr.replaceAll(END_OF_FILE, ANOTHER_END);
  stderr = stderr.replace(/pid \d+ is not/g, 'pid N is not');
  if (!bashIsSince(5, 2) && withoutNumbers(stderr) === withoutNumbers(routed.stderr))
    stderr = routed.stderr;
  const isFatal = /syntax error|unexpected|bad substitution|value too great|operator expected/.test(
    stderr,
  );
  // The router suggests a command for a similar name.
  stderr = stderr.replace(
    /^bash: (?:line \d+: )?([\w-]+): command not found$/gm,
    (message, name) => {
      const answer = `${name}: command not found; did you mean TodoWrite?`;
      return routed.stderr.includes(answer) ? answer : message;
    },
  );
  // A fatal error ends -c with 127, and a script, as in a session, with 1.
  if (exitCode === 127 && routed.exitCode === 1 && (isFatal || stderr === '')) exitCode = 1;
  // Also in the ERR trap of preamble. There, 127 may also be a command that is not found.
  if (isFatal && !routed.stdout.includes('failed 127'))
    stdout = stdout.replaceAll('failed 127', 'failed 1');
  // After a syntax error in a later line, -c returns the exit code of the line before it, eval that of the error; for an
  // unfinished for (( there is no message.
  if (routed.exitCode === 2 && (isFatal || stderr === '')) exitCode = 2;
  return { ...plain, stdout, stderr, exitCode };
}

/** Removes our own hints and notes. */
function withoutHint(routed: Outcome, plain: Outcome): Outcome {
  let { stderr } = withoutBashEnded(routed);
  if (stderr !== routed.stderr && stderr === `${plain.stderr}\n`) stderr = plain.stderr;
  // The line may not reach the call that is mended.
  if (routed.calls === plain.calls)
    stderr = stderr.replace(/^Note: read the JSON as it was typed.*\n/m, '');
  stderr = stderr
    .replace(/^Note: (?:pass the JSON as a heredoc[\s\S]*\nEOF|inside single quotes, .*)\n/m, '')
    .replace(/pid \d+ is not/g, 'pid N is not');
  return { ...routed, stderr };
}

/** Lines that are mended, which plain bash cannot read, or reads as other JSON. */
function isMended(plain: Outcome, routed: Outcome): boolean {
  if (!routed.stderr.includes('Note: read the JSON as it was typed')) return false;
  const isUnread = /unexpected|syntax error/.test(plain.stderr) && plain.exitCode === 2;
  return plain.calls === '' ? isUnread : plain.calls !== routed.calls;
}

/** Simultaneous commands run and write in any order. */
function inAnyOrder(outcome: Outcome): Outcome {
  const sorted = (text: string, separator: string) => text.split(separator).sort().join(separator);
  return {
    ...outcome,
    stderr: sorted(outcome.stderr, '\n'),
    calls: sorted(outcome.calls, 'CALL\0'),
  };
}

test(
  `${COUNT} random composed lines do the same in the router as in a plain bash`,
  async () => {
    console.log(`differential fuzz: TEST_SEED=${SEED} TEST_FUZZ_LINES=${COUNT}`);
    const lines = new ComposedLines(new Random(SEED));
    const root = temporaryDirectory();
    const differences: string[] = [];
    const count = { lines: 0, runs: 0, calls: 0, skipped: 0, mended: 0, transient: 0, late: 0 };

    async function lane(): Promise<void> {
      const plain = new PlainShell();
      const routed = new RoutedShell();

      async function compare(line: string, attempt: number) {
        const limitMs = Math.min(attempt, 3) * LIMIT_MS;
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
        if (result === undefined) return 'too long';
        count.calls += result.calls.split('CALL\0').length - 1;
        const received = withoutHint(outcome, result);
        const expected = sameAsRouted(result, received);
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
        // A difference that does not repeat is one of time.
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
    expect(differences.slice(0, 5).join('\n'), `seed ${SEED}: ${differences.length} differ`).toBe(
      '',
    );
    expect(count.calls).toBeGreaterThan(COUNT / 4);
    expect(count.skipped + count.late).toBeLessThan(Math.max(10, COUNT / 100));
    expect(count.transient).toBeLessThan(COUNT / 10);
    expect(count.mended).toBeLessThan(Math.max(3, COUNT / 100));
  },
  60_000 + COUNT * 1_000,
);
