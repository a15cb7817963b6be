import { statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { plainBash } from '../../helpers/bash.ts';
import { eventually } from '../../helpers/eventually.ts';
import { listFiles, temporaryDirectory } from '../../helpers/files.ts';
import { printed, sharedSession, startSession } from '../../helpers/session.ts';

const shared = sharedSession();

test('output, errors and the exit code of a line are separate and untrimmed', async () => {
  const session = shared();
  expect(
    await session.run(
      "printf ' out \\n\\n'; printf '\\terr\\n ' >&2; exit_code() { return 7; }; exit_code",
    ),
  ).toEqual(printed(' out \n\n', '\terr\n ', 7));
});

test('the session reports the directory of bash, with any name', async () => {
  const session = shared();
  const name = " it's\na «ü»  dir ";
  await session.run(`mkdir "${name}" && cd "${name}"`);
  expect(session.cwd.endsWith(`/${name}`)).toBe(true);
});

test('a session starts in the directory that it is given; if there is none, no line runs elsewhere without a word', async () => {
  const cwd = temporaryDirectory();
  expect((await startSession({ cwd: relative('.', cwd) }).run('pwd -P')).stdout).toBe(`${cwd}\n`);
  const lost = startSession({ cwd: `${cwd}/typo` });
  expect(await lost.run('touch here')).toEqual({
    stdout: '',
    stderr: `agent-shell: the line was not run: no folder ${cwd}/typo; the next line starts in ${cwd}\n`,
    exitCode: 1,
  });
  expect((await lost.run('ls; pwd')).stdout).toBe(`${cwd}\n`);
});

test('only PATH of the environment is changed, and nothing is added to it', async () => {
  const session = startSession({ env: { ONE: '1' } });
  const { stdout } = await session.run('env -0 | sort -z | cut -z -d= -f1 | tr "\\0" "\\n"');
  // PWD, SHLVL, _ and, before bash 4, OLDPWD are bash's own.
  const names = stdout.replace('OLDPWD\n', '').trim().split('\n');
  expect(names).toEqual(['HOME', 'LANG', 'ONE', 'PATH', 'PWD', 'SHLVL', 'TMPDIR', '_']);
});

test('the host can set $? of the next line', async () => {
  const session = shared();
  await session.run('(exit 3)');
  expect(session.lastExitCode).toBe(3);
  session.lastExitCode = 42;
  expect((await session.run('echo $?')).stdout).toBe('42\n');
  expect((await session.run('echo $?')).stdout).toBe('0\n');
});

test('$? of the last line is lost to no option that ends bash on failure', async () => {
  const session = startSession();
  await session.run('set -e');
  session.lastExitCode = 1;
  expect(await session.run('echo alive')).toEqual(printed('alive\n'));
});

test('standard input is empty, or what a line is given, byte for byte, and the next one does not get it', async () => {
  const session = shared();
  const line = 'cat; read -r word; echo "$? [$word]"';
  expect(await session.run(line)).toEqual(printed('1 []\n'));
  const stdin = `a\0b\r\n«ü» 'quoted' $HOME ${'x'.repeat(300_000)}\n`;
  expect((await session.run('cat', { stdin })).stdout).toBe(stdin);
  expect((await session.run('cat')).stdout).toBe('');
  await session.run('printf "one\\ntwo\\n" >lines; exec <lines; read -r word');
  expect((await session.run('cat', { stdin: 'given' })).stdout).toBe('given');
  expect((await session.run('cat; exec </dev/null')).stdout).toBe('two\n');
});

test('standard input stays that of the line for all of its commands', async () => {
  const line = 'read -r one; echo "1:$one"; head -c 4; echo; cat';
  const stdin = 'first\nsecond\nthird\n';
  // head reads ahead in a file, so the oracle gets a file too.
  const expected = plainBash(
    `printf 'first\\nsecond\\nthird\\n' >/tmp/$$.in; { ${line}; } </tmp/$$.in; rm /tmp/$$.in`,
  );
  expect(await shared().run(line, { stdin })).toEqual(expected);
});

test('lines that have run take little room on the disk', async () => {
  const session = startSession();
  const line = `: ${'x'.repeat(2 ** 19)}`;
  for (let round = 0; round < 3; round += 1) await session.run(line);
  const script = listFiles(session.tmp).find((name) => name.endsWith('/bash')) ?? '';
  expect(512 * statSync(join(session.tmp, script)).blocks).toBeLessThan(2 ** 20);
});

test('output is streamed while the line still runs', async () => {
  const heard: string[] = [];
  const session = startSession({
    onStdout: (chunk) => heard.push(`out ${chunk}`),
    onStderr: (chunk) => heard.push(`err ${chunk}`),
  });
  const running = session.run(
    'echo one; until [ -e go ]; do sleep 0.01; done; echo two >&2; rm go',
  );
  await eventually('the first output is heard', () => heard.includes('out one\n'));
  expect(heard).toEqual(['out one\n']);
  writeFileSync(`${session.cwd}/go`, '');
  expect(await running).toEqual(printed('one\n', 'two\n'));
  expect(heard).toEqual(['out one\n', 'err two\n']);
});

test('merged, output and errors keep the order in which they were written', async () => {
  const session = startSession({ mergeStderr: true });
  const { stdout, stderr } = await session.run(
    'for i in 1 2 3 4 5; do echo "out $i"; echo "err $i" >&2; done; nosuchcommand; echo end',
  );
  expect(stdout).toBe(
    `${[1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}\n`).join('')}bash: line 1: nosuchcommand: command not found\nend\n`,
  );
  expect(stderr).toBe('');
});

test('a line with a NUL character is refused, and the session goes on', async () => {
  const session = shared();
  await session.run('kept=yes');
  expect(await session.run('echo a\0b')).toEqual(
    printed('', 'agent-shell: a command line cannot hold a NUL character\n', 2),
  );
  expect((await session.run('echo $? $kept')).stdout).toBe('2 yes\n');
});
