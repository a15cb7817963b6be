import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TodoReadHandler } from '../../../src/todo/todo-read.ts';
import { TodoStore } from '../../../src/todo/todo-store.ts';
import { eventually } from '../../helpers/eventually.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { runInHost } from '../../helpers/host-program.ts';
import { BASH_ENDED, NEXT, printed, startSession } from '../../helpers/session.ts';

const NOT_RUN = 'agent-shell: the line was not run:';
const ENDS = 'before it reads a line';

/** A folder with a program of this text. */
function folderWith(name: string, text: string): string {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, name), text, { mode: 0o755 });
  return folder;
}

/** The result of each line of a session whose bash cannot start, which leaves no descriptor open. */
async function eachResult(env: Record<string, string>) {
  const session = startSession({ env });
  const results = [await session.run('echo one'), await session.run('echo two')];
  const open = readdirSync('/dev/fd').length;
  results.push(await session.run('echo three'));
  await eventually('all are closed', () => readdirSync('/dev/fd').length <= open);
  expect(results).toEqual(Array(3).fill(results[0]));
  return results[0];
}

test('without a PATH, programs are found on the default path of bash', async () => {
  const session = startSession({ env: { PATH: undefined } });
  expect(await session.run('ls / >/dev/null && echo next')).toEqual(NEXT);
});

test('without a bash, with one that ends before it reads a line, or one that cannot be given its environment, each line says so', async () => {
  const nowhere = folderWith('bash', '#!/usr/bin/no-such-program\n');
  symlinkSync('/usr/bin/mkfifo', join(nowhere, 'mkfifo'));
  const advice = 'cannot be started (ENOENT): install bash, or put it on PATH';
  const missing = printed('', `agent-shell: ${nowhere}/bash ${advice}\n`, 127);
  expect(await eachResult({ PATH: nowhere })).toEqual(missing);
  const empty = folderWith('bash', '');
  const ends = printed('', `${NOT_RUN} ${empty}/bash ends with exit code 0 ${ENDS}\n`, 1);
  expect(await eachResult({ PATH: `${empty}:${process.env.PATH}` })).toEqual(ends);
  expect(await eachResult({ HUGE: 'x'.repeat(2 ** 22) })).toMatchObject({
    stdout: '',
    exitCode: 1,
  });
});

test.each([
  ['set -n', 'exit code 1'],
  ['builtin() { :; }', 'exit code 1'],
  ['exit 7', 'exit code 7'],
])(
  'a bash that BASH_ENV has broken is reported, and no line counts as run: %s',
  async (text, how) => {
    const cause = `bash, with what BASH_ENV set, ends with ${how} ${ENDS}`;
    const stderr = expect.stringMatching(`^${NOT_RUN} /.*${cause}\n$`);
    const BASH_ENV = join(folderWith('start', text), 'start');
    expect(await eachResult({ BASH_ENV })).toEqual({ stdout: '', stderr, exitCode: 1 });
  },
);

test('BASH_ENV may change the directory, say something and set variables', async () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'start file');
  writeFileSync(file, 'cd /usr; echo started; given=yes');
  const session = startSession({ env: { BASH_ENV: '$FOLDER/start file', FOLDER: directory } });
  expect(await session.run('pwd; echo "$given $BASH_ENV"; bash -c "echo child"')).toEqual(
    printed('started\n/usr\nyes $FOLDER/start file\nstarted\nchild\n'),
  );
  // Once, as in any bash.
  expect(await session.run('echo next')).toEqual(NEXT);
  const missing = startSession({ env: { BASH_ENV: '/nonexistent/file' } });
  expect(await missing.run('echo next')).toEqual(NEXT);
});

test('no setting of BASH_ENV or exported functions prevents lines from running', async () => {
  const file = join(temporaryDirectory(), 'start');
  for (const [env, text = '', flags = 'hB'] of [
    [{ BASH_ENV: file }, 'set -e', 'ehB'],
    [{ BASH_ENV: file }, 'set -xv 2>/dev/null', 'hvxB'],
    [{ BASH_ENV: file }, 'eval() { :; }; trap "echo bye" ERR; exec 3>/dev/null'],
    [{ SHELLOPTS: 'errexit:xtrace' }, '', 'hB'],
    [{ 'BASH_FUNC_builtin%%': '() { :; }', 'BASH_FUNC_exec%%': '() { :; }' }],
  ] as const) {
    writeFileSync(file, text);
    const session = startSession({ env });
    expect((await session.run('echo "$-"; exit 3')).stdout).toBe(`${flags}\n`);
    for (const word of ['second', 'third']) {
      expect((await session.run(`echo ${word}; (exit 2) || true`)).stdout).toBe(`${word}\n`);
    }
  }
});

test('if FIFOs cannot be made, each line names the folder; without mkfifo, each line asks for it', async () => {
  const TMPDIR = temporaryDirectory();
  const pathOf = (text: string) => `${folderWith('mkfifo', text)}:${process.env.PATH}`;
  const { stderr } = (await eachResult({ PATH: pathOf('#!/bin/sh\nexit 1\n'), TMPDIR })) ?? {};
  expect(stderr).toContain(`${TMPDIR} (FIFOs cannot be made there): set TMPDIR to`);
  // A script without its interpreter gives the same error.
  const advice = 'install mkfifo, a part of coreutils, or put it on PATH';
  const missing = printed('', `${NOT_RUN} ${advice}\n`, 1);
  expect(await eachResult({ PATH: pathOf('#!/usr/bin/no-such-program\n'), TMPDIR })).toEqual(
    missing,
  );
  expect(readdirSync(TMPDIR)).toEqual([]);
});

/** The results of a session in a host that these words of bash start. */
async function runAfter(words: string) {
  const lines = ['kept=yes', 'echo $kept', 'true', 'Agent x | cat', 'echo $kept'];
  const { results, tmp } = await runInHost(lines, ['bash', '-c', `${words} exec "$@"`, 'bash']);
  expect(readdirSync(tmp)).toEqual([]);
  return results;
}

test('with 64 open files, and a PATH that begins with the current directory, a session keeps its state', async () => {
  const from = folderWith('mkfifo', '#!/bin/sh\ntouch ran\n');
  copyFileSync(join(from, 'mkfifo'), join(from, 'bash'));
  const results = await runAfter(`ulimit -n 64; cd '${from}'; PATH=.:$PATH;`);
  expect(results).toEqual(['', 'yes\n', '', 'x\n', 'yes\n'].map((stdout) => printed(stdout)));
  // Nothing of ours that is in it was started.
  expect(readdirSync(from)).toEqual(['bash', 'mkfifo']);
});

const MORE_FILES = 'too many open files: raise the limit, such as ulimit -n 256';
const LARGER_FILES = 'files may not grow enough: raise the limit, such as ulimit -f unlimited';

test.each([
  ['-n 24', MORE_FILES],
  ['-n 32', MORE_FILES],
  ['-f 0', LARGER_FILES],
])('with ulimit %s, lines say why they are not run, and the host lives', async (limit, reason) => {
  const results = await runAfter(`ulimit ${limit};`);
  expect(new Set(results.map(({ stdout, stderr }) => stdout + stderr))).toEqual(
    new Set([`${NOT_RUN} ${reason}\n`]),
  );
});

// Modes do not bind root.
const BECOME_NOBODY = `
  if (process.getuid() === 0) {
    process.setgid(65534);
    process.setuid(65534);
  }
`;

test('a line that takes away the rights to the private files harms no other, and nothing is left', async () => {
  const folder = '"$TMPDIR"/agent-shell-*';
  const modes = ['000 ', '500 ', '000 /*', '000 /status', '000 /go', '000 /bin'];
  const lines = modes
    .map((mode) => mode.split(' '))
    .flatMap(([mode, file]) => [
      'set -o posix; kept=yes',
      `chmod ${mode} ${folder}${file}; (exit 4)`,
      'echo "[$kept]"',
      'echo next',
    ]);
  const wrapper = ['sh', '-c', 'chmod 777 "$TMPDIR"; "$@"; ls "$TMPDIR" >&2', 'sh'];
  const { results } = await runInHost(lines, wrapper, BECOME_NOBODY);
  for (let at = 0; at < results.length; at += 4) {
    const [, shut, state, next] = results.slice(at);
    expect([lines[at + 1], shut?.exitCode, next]).toEqual([lines[at + 1], 4, NEXT]);
    // With its state, or with a note.
    const isTold = BASH_ENDED.test(shut?.stderr ?? '') || state?.stdout === '';
    expect(isTold || state?.stdout).toBe(isTold || '[yes]\n');
  }
});

test('the path of bash may hold a blank: agent commands are found all the same', async () => {
  const directory = join(temporaryDirectory(), "a bash's own");
  mkdirSync(directory);
  symlinkSync('/bin/bash', join(directory, 'bash'));
  const session = startSession({
    env: { PATH: `${directory}:/usr/bin:/bin` },
    handlers: [new TodoReadHandler(new TodoStore())],
  });
  expect(await session.run('echo "$BASH"; TodoRead; f() { :; }; TodoRead --json | wc -l')).toEqual(
    printed(`${directory}/bash\nNo todos.\n1\n`),
  );
});

test.each([
  ...['prompt/interactive.bash', 'prompt/prompt-hooks.bash'],
  ...['prompt/after-profile.bash', 'bin/suspect-line.bash'],
  ...['shell/bash/agent-command.sh', 'shell/bash/watchdog.sh'],
])('bash 3.2, which macOS has, can read %s', (name) => {
  const lines = readFileSync(join(import.meta.dirname, '../../../src', name), 'utf8').split('\n');
  // Extended patterns in [[ need no shopt since 4.1; others came with 4.0.
  const newer = /\[\[ .*[@!+*]\(.* \]\]|[|]&|&>>|;;?&|\bcoproc\b/;
  const isNewer = (line: string) =>
    newer.test(line.replace(/'[^']*'/g, '')) && !line.includes('=~');
  expect(lines.filter(isNewer)).toEqual([]);
});
