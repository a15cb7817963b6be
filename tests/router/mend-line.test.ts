import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { mendLine } from '../../src/router/mend-line.ts';

const NAMES = new Set(['TodoWrite', 'TaskCreate']);
const canRead = async (text: string) => spawnSync('bash', ['-n', '-c', text]).status === 0;
const mend = (line: string) => mendLine(line, NAMES, canRead);

const list = (content: string) =>
  JSON.stringify({ todos: [{ content, activeForm: 'Doing', status: 'pending' }] });
const BROKEN = list("Don't stop");
const call = (json: string) => `TodoWrite '${json}'`;
const inQuotes = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`;

/** What TodoWrite gets as its arguments when bash runs a line. */
function argumentsIn(line: string): string[] {
  const script = `TodoWrite() { printf '%s\\0' "$@" >&3; }\n${line}`;
  const { output: streams } = spawnSync('bash', ['-c', script], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  return (streams[3] ?? '').split('\0').slice(0, -1);
}

test.each([
  ['a directory before it', `cd / && ${call(BROKEN)}`],
  ['commands behind it', `${call(BROKEN)} && echo 'done'; true | cat`],
  [
    'a subshell with a trap, as Gemini CLI has it',
    `shopt -u extglob; (\ntrap 'echo $?' EXIT\n${call(BROKEN)}\n)`,
  ],
  ['a redirection', `true; ${call(BROKEN)} >/dev/null 2>&1`],
  ['a substitution', `reply=$(${call(BROKEN)})`],
  [
    'an eval, as Claude Code has it',
    `true || true && eval ${inQuotes(call(BROKEN))} < /dev/null && pwd`,
  ],
  ['an eval in double quotes', `eval "${call(BROKEN).replace(/["$`\\]/g, '\\$&')}" && pwd`],
  [
    'one apostrophe escaped and another forgotten',
    `true && ${call(list("it'\\''s Don't"))}`.replace('\\\\', '\\'),
  ],
])('the JSON is put into quotes that hold: %s', async (_, line) => {
  const mended = await mend(line);
  expect(mended).toBeDefined();
  const [json = '', ...more] = argumentsIn(mended ?? '');
  expect(more).toEqual([]);
  expect(JSON.parse(json).todos[0].content).toMatch(/Don't/);
});

test('two broken lists in one line are both fixed, and the text around them stays', async () => {
  const mended = await mend(`${call(BROKEN)} && echo "a  b" && ${call(list("Won't, can't"))}`);
  expect(argumentsIn(mended ?? '')).toEqual([BROKEN, list("Won't, can't")]);
  expect(mended).toContain('&& echo "a  b" &&');
});

test.each([
  ['that bash can read', `cd / && ${call(list('Go on'))}`],
  [
    'that bash can read, with an odd apostrophe elsewhere',
    `echo "don't" && ${call(list('Go on'))}`,
  ],
  ['without an agent command', `echo 'Don't`],
  ['with a name that is none', `cd / && TodoWriter '${BROKEN}'`],
  ['whose JSON does not end', `cd / && TodoWrite '${BROKEN.slice(0, -2)}'`],
  ['whose JSON goes on in another word', `cd / && TodoWrite '${BROKEN}'x`],
  ['whose JSON is none', `cd / && TodoWrite '{Don't}'`],
  ['that is broken elsewhere too', `cd / && ${call(BROKEN)} && echo "open`],
  ['in which the command is a word of something quoted', `echo "TodoWrite '${BROKEN}`],
  ['whose eval bash can read', `eval ${inQuotes(call(list('Go on')))}`],
  ['whose eval is no literal word', `eval "$LINE" && ${call(list('Go on'))}`],
])('a line is left alone %s', async (_, line) => {
  expect(await mend(line)).toBeUndefined();
});

test('a long line takes no long time, nor a deep stack', async () => {
  const long = list(`Don't ${'x\\" {['.repeat(100_000)}`);
  const line = `cd / && TodoWrite '${long}' && TodoWrite '${'{'.repeat(300_000)}`;
  expect(await mendLine(line, NAMES, async () => false)).toBeUndefined();
  expect(
    await mendLine(`cd / && TodoWrite '${long}'`, NAMES, async (text) => !text.includes("n't")),
  ).toContain(`Don'\\''t`);
});
