// The demo: a scripted agent works through a plan with real commands, its task list in sight.
// On a terminal it takes about fifteen seconds. Elsewhere it prints the same, plainly and without pauses.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BashRouter,
  BashSession,
  CommandType,
  TaskPanel,
  TodoReadHandler,
  TodoStore,
  TodoWriteHandler,
} from 'todowrite';

const INTRODUCTION = `An agent at work. All that it has is bash, and TodoWrite is a command in it.
It is asked to mend "slug", which turns a title into the name of a file.
`;
const CLOSING = 'Your turn: npm start\n';

const SLUG = `#!/usr/bin/env bash
# Turns a title into the name of a file.
title=\${1,,}
echo "\${title/ /-}.md"
`;

const TEST = `# Prints one line a title, and ends with 1 if a name has a blank in it.
while read -r title; do
  name=$(bash slug "$title")
  if [[ $name = *' '* ]]; then status=1 result=FAILED; else result=passed; fi
  echo "$result  $name"
  sleep "$PACE"
done < titles
exit "\${status:-0}"
`;

const TITLES = `Notes
Release notes
Minutes of the May meeting
How we count a day off
A guide to the new office
`;

const PLAN = [
  ['Read the code', 'Reading the code'],
  ['Reproduce the bug', 'Reproducing the bug'],
  ['Run the tests, to see them fail', 'Running the tests, to see them fail'],
  ['Mend the script', 'Mending the script'],
  ['Run the tests again', 'Running the tests again'],
];

/** The agent's steps: the number of the item to begin, or a command line. */
const SCRIPT = [
  0,
  'cat slug',
  1,
  "bash slug 'Minutes of the May meeting'",
  2,
  'bash test.sh',
  3,
  "sed 's|/ /-|// /-|' slug > mended && mv mended slug",
  'tail -n 1 slug',
  4,
  'bash test.sh && echo all passed',
  5,
];

const TYPING_MS = 10;
const READING_MS = 450;

/**
 * Plays the script.
 *
 * @param stream the output.
 * @param options.input the viewer's keyboard.
 * @param options.signal ends it early.
 */
export async function playDemo(stream, options = {}) {
  const { input, signal } = options;
  const isWatched = stream.isTTY === true;
  const pace = isWatched ? 0.4 : 0;
  const pause = isWatched ? (ms) => sleep(ms, undefined, { signal }) : () => {};
  const directory = mkdtempSync(join(tmpdir(), 'slug-'));
  // Also when the terminal is closed, and nothing can be written to it any more.
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'slug'), SLUG);
  writeFileSync(join(directory, 'test.sh'), TEST);
  writeFileSync(join(directory, 'titles'), TITLES);

  const store = new TodoStore();
  const mode = isWatched ? 'auto' : 'plain';
  const panel = new TaskPanel({
    store,
    stream,
    env: process.env,
    mode,
    ...(input && { input }),
  });
  const router = new BashRouter({
    handlers: [new TodoWriteHandler(store), new TodoReadHandler(store)],
    shell: (handlers) =>
      new BashSession({
        env: { ...process.env, PACE: String(pace) },
        cwd: directory,
        handlers,
        mergeStderr: true,
        onStdout: (chunk) => panel.write(chunk),
      }),
  });
  try {
    panel.write(`${INTRODUCTION}\n`);
    await pause(2 * READING_MS);
    for (const step of SCRIPT) {
      const line = typeof step === 'number' ? todoWrite(step) : step;
      await type(shorten(line, panel.screen.columns - 'slug $ '.length - 1));
      await run(line);
      await pause(READING_MS);
    }
    await pause(2 * READING_MS);
  } finally {
    panel.dispose();
    await router.dispose();
  }
  stream.write(`\n${CLOSING}`);

  async function type(text) {
    panel.write('slug $ ');
    for (const part of text.match(/.{1,3}/gsu) ?? []) {
      panel.write(part);
      await pause(TYPING_MS * part.length);
    }
    panel.write('\n');
  }

  async function run(line) {
    const isNative = router.identifyCommandType(line) === CommandType.NATIVE_SHELL_COMMAND;
    panel.commandStarted();
    const { stdout, stderr } = await router.route(line, { signal });
    panel.screen.endCommand();
    panel.screen.startLine();
    // Bash's output was shown as it came.
    panel.write(isNative ? '' : stderr + stdout);
  }
}

function todoWrite(current) {
  if (current === PLAN.length) return `TodoWrite --done ${current}`;
  if (current > 0) return `TodoWrite --done ${current} --start ${current + 1}`;
  const todos = PLAN.map(([content, activeForm], index) => ({
    content,
    activeForm,
    status: index === 0 ? 'in_progress' : 'pending',
  }));
  return `TodoWrite '${JSON.stringify({ todos })}'`;
}

/** Truncated for the viewer. */
function shorten(text, columns) {
  return text.length <= columns ? text : `${text.slice(0, columns - 3)}...`;
}

if (process.argv[1] === import.meta.filename) {
  const cancel = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => cancel.abort());
  }
  try {
    await playDemo(process.stdout, { signal: cancel.signal, input: process.stdin });
  } catch (error) {
    if (!cancel.signal.aborted) throw error;
    process.exitCode = 130;
  }
}
