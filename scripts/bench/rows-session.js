// Lines in the session's persistent bash, against a process for each line.

import { spawn, spawnSync } from 'node:child_process';
import { constants, openSync, writeFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { BashRouter } from '../../dist/index.js';
import { lineOf, TEN_ITEMS } from './lists.js';
import { paired, times } from './paired.js';
import { commandLinePeers } from './peers.js';
import { collect } from './processes.js';

const COMPOSED = 'TodoWrite in a composed line';
/** A shell builtin before it makes it a line that only bash can read. */
const LINE = `:; ${lineOf(TEN_ITEMS)}`;
const HEREDOC = `TodoWrite <<'EOF'\n${TEN_ITEMS}\nEOF`;
const OUTPUT_BYTES = 10 * 1024 * 1024;
/** todo.txt-cli has no validation, no history and no list to keep whole: it is there to compare, not as a goal. */
const WITHOUT_GOAL = 'replace';

export async function* sessionRows({ runs, folder }) {
  const router = new BashRouter();
  const session = (line, parts = 20) => times(parts, () => route(router, line));
  // Bash's share: a script on PATH that gets as much, and does nothing.
  const script = join(folder, 'nothing');
  const bash = spawnSync('bash', ['--norc', '-c', 'type -P bash'], {
    encoding: 'utf8',
  }).stdout.trim();
  writeFileSync(script, `#!${bash} -p\nexit\n`, { mode: 0o755 });
  const nothing = session(`:; '${script}' '${TEN_ITEMS}'`);
  const ofNothing = (line) => paired(session(line), nothing, runs);
  const asking = askingScript(folder, bash);
  for (const [name, line, floor, atMost] of [
    [COMPOSED, LINE, `:; '${asking.script}' '${TEN_ITEMS}'`, 1.25],
    ['TodoWrite with a heredoc', HEREDOC, `'${asking.script}' <<'EOF'\n${TEN_ITEMS}\nEOF`, 1.5],
  ]) {
    const against = 'empty script';
    yield { name, against, ...(await ofNothing(line)), goal: { of: 'ratio', atMost } };
    yield { name: `floor: ${name.slice(10)}`, against, ...(await ofNothing(floor)) };
  }
  asking.close();
  for await (const { leftOut, against, edit } of commandLinePeers(folder)) {
    if (leftOut) {
      yield { name: COMPOSED, leftOut };
      continue;
    }
    // Another text each time: an unchanged one would not be written.
    let edits = 0;
    const other = times(1, () => edit(`Write the chapter again, draft ${edits++}`));
    const goal = against.endsWith(WITHOUT_GOAL) ? undefined : { of: 'ratio', atMost: 1 };
    yield { name: COMPOSED, against, ...(await paired(session(LINE), other, runs)), goal };
  }
  const spawned = times(5, () => collect('echo hi'));
  yield {
    name: 'echo hi in the session',
    against: 'bash -c',
    ...(await paired(session('echo hi', 100), spawned, runs)),
    goal: { of: 'ratio', atMost: 0.08 },
  };
  const bare = bareBash(bash);
  yield {
    name: 'a bash that only evaluates',
    against: 'bash -c',
    ...(await paired(
      times(100, () => bare.evaluate('echo hi')),
      spawned,
      runs,
    )),
  };
  bare.end();
  await route(router, 'f() { :; }');
  yield {
    name: 'echo hi, a function defined',
    against: 'bash -c',
    ...(await paired(session('echo hi', 100), spawned, runs)),
    goal: { of: 'ratio', atMost: 0.08 },
  };
  yield await outputRow(router, join(folder, 'output'), runs);
  await router.dispose();
}

/** The floor of a call from inside bash: the handler answers, and nothing is safe from other callers, settings or a lost host. */
function askingScript(folder, bash) {
  const [script, input, output] = ['ask', 'in', 'out'].map((name) => join(folder, name));
  spawnSync('mkfifo', [input, output]);
  writeFileSync(
    script,
    `#!${bash} -p\n[ $# = 1 ]||IFS= read -rd '' text\nprintf '%s\\0' "\${1-$text}" >'${input}'\nread -r reply <'${output}'\nprintf '%s\\n' "$reply"\n`,
    { mode: 0o755 },
  );
  const [fd, reply] = [input, output].map((path) =>
    openSync(path, constants.O_RDWR | constants.O_NONBLOCK),
  );
  const handler = new BashRouter().commands.find(({ name }) => name === 'TodoWrite');
  const socket = new Socket({ fd });
  socket.setEncoding('utf8');
  let text = '';
  socket.on('data', async (chunk) => {
    text += chunk;
    if (!text.endsWith('\0')) return;
    const argv = [text.slice(0, -1)];
    text = '';
    const { stdout } = await handler.execute({ argv, stdin: async () => '', env: {} });
    writeSync(reply, stdout);
  });
  return { script, close: () => socket.destroy() };
}

/** The floor of a line in a session: nothing is restored, reported or safe from what the line does. */
function bareBash(bash) {
  const script = 'while IFS= read -r -u 3 line; do eval "$line"; printf . >&4; done';
  const stdio = ['ignore', 'pipe', 'inherit', 'pipe', 'pipe'];
  const { stdout, stdio: streams } = spawn(bash, ['-c', script], { stdio });
  const [, , , lines, answers] = streams;
  stdout.resume();
  const evaluate = (line) =>
    new Promise((resolve) => {
      answers.once('data', resolve);
      lines.write(`${line}\n`);
    });
  return { evaluate, end: () => lines.end() };
}

/** From a file by `cat`, about the fastest producer: a slower one would hide our overhead. */
async function outputRow(router, file, runs) {
  const line = `cat '${file}'`;
  writeFileSync(file, 'x'.repeat(OUTPUT_BYTES));
  const whole = (text) => {
    if (text.length !== OUTPUT_BYTES) throw new Error(`${text.length} bytes of ${OUTPUT_BYTES}`);
  };
  return {
    name: '10 MiB of output in the session',
    against: 'bash -c',
    ...(await paired(
      times(3, async () => whole((await route(router, line)).stdout)),
      times(3, async () => whole(await collect(line))),
      runs,
    )),
    goal: { of: 'ratio', atMost: 1.3 },
  };
}

async function route(router, line) {
  const result = await router.route(line);
  if (result.exitCode !== 0)
    throw new Error(`${line} ended with ${result.exitCode}: ${result.stderr}`);
  return result;
}
