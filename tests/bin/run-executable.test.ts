import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment, executable, run } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { hasPrograms } from '../helpers/machine.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';

const list = (content: string) =>
  JSON.stringify({ todos: [{ content, activeForm: 'Doing', status: 'pending' }] });
const UPDATED = {
  stdout: 'Todo list updated: 0 completed, 0 in_progress, 1 pending\n',
  stderr: '',
  exitCode: 0,
};

type Options = Partial<Parameters<typeof run>[2]>;

const READ = `'${process.execPath}' '${executable('todo-read')}'`;
const WRITE = `'${process.execPath}' '${executable('todo-write')}'`;

function machine() {
  const root = temporaryDirectory();
  const [state, work] = [join(root, 'state'), join(root, 'work')];
  mkdirSync(work);
  const env = (more: Record<string, string> = {}) =>
    cleanEnvironment({ TODO_STATE_DIR: state, TODO_GUIDANCE: 'off', ...more });
  return {
    root,
    state,
    work,
    env,
    /** In this process. */
    call: (name: string, argv: string[], more = {}) =>
      callCommand(env(more), name, argv, { cwd: work }),
    write: (argv: string[], options?: Options) =>
      run('todo-write', argv, { cwd: work, env: env(), ...options }),
    read: (argv: string[] = [], options?: Options) =>
      run('todo-read', argv, { cwd: work, env: env(), ...options }),
    inBash: (line: string, cwd = work) =>
      spawnSync('bash', ['-c', line], { cwd, env: env(), encoding: 'utf8' }),
  };
}

test('a list that one process writes, from its argument, a pipe or a file, the next one reads', () => {
  const { work, inBash, write, read } = machine();
  expect(write([list('a')])).toEqual(UPDATED);
  expect(read()).toEqual({ stdout: '[ ] a\n\n(0/1 completed)\n', stderr: '', exitCode: 0 });
  expect(write([], { input: list('piped') })).toEqual(UPDATED);
  writeFileSync(join(work, 'list.json'), list('from a file'));
  expect(inBash(`${WRITE} - < list.json`).status).toBe(0);
  const { todos, version } = JSON.parse(read(['--json']).stdout);
  expect([todos[0].content, version]).toEqual(['from a file', 3]);
});

test('standard input that is closed or too long is no list', () => {
  const { work, inBash } = machine();
  writeFileSync(join(work, 'list.json'), list('x'.repeat(2 * 1024 * 1024)));
  expect(inBash(`${WRITE} <&-`)).toMatchObject({
    status: 1,
    stderr: `Error: Missing JSON parameter\nUsage: TodoWrite '{"todos":[...]}'\n`,
  });
  const stderr = expect.stringContaining('must be at most 1 MiB');
  expect(inBash(`${WRITE} < list.json`)).toMatchObject({ status: 1, stderr });
});

test('help asks nothing of a server', async () => {
  const { read } = machine();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const env = {
    TODO_STATE_URL: `etcd://127.0.0.1:${port}/a`,
    TODO_AGENT: 'ann',
    TODO_SESSION: 's',
  };
  read(['--help'], { env: cleanEnvironment({ ...env, TODO_STATE_TIMEOUT: '1' }) });
  const mine = connect(port, '127.0.0.1');
  const [[first]] = await Promise.all([once(server, 'connection'), once(mine, 'connect')]);
  expect(first.remotePort).toBe(mine.localPort);
  mine.destroy();
  server.close();
});

test('in a directory that was deleted a session must be named', () => {
  const { root, inBash } = machine();
  const gone = join(root, 'gone');
  const readInDeleted = (...words: string[]) => {
    mkdirSync(gone);
    return inBash(`rmdir '${gone}'; exec ${READ} ${words.join(' ')}`, gone);
  };
  const stderr = expect.stringContaining('deleted, so it names no list: cd to another one');
  expect(readInDeleted()).toMatchObject({ status: 3, stderr });
  expect(readInDeleted('--session s')).toMatchObject({ status: 0, stdout: 'No todos.\n' });
});

test('agent-shell names the list that cannot be read', () => {
  const { work, env } = machine();
  const nowhere = env({ TODO_STATE_DIR: '/dev/null/lists', TODO_SESSION: 's' });
  const stderr = expect.stringMatching(/^agent-shell: cannot read \/dev\/null\/lists.*\n$/);
  const prime = run('agent-shell', ['prime'], { cwd: work, env: nowhere });
  expect(prime).toEqual({ stdout: '', stderr, exitCode: 3 });
});

test('a reply that cannot be written is an error, of which nothing is said if the reader of a pipe has ended', async () => {
  const { inBash, call } = machine();
  await call('TodoWrite', [list('a')]);
  const stderr = expect.stringMatching(/^TodoRead: write error: ENOSPC/);
  expect(inBash(`${READ} > /dev/full`)).toMatchObject({ status: 1, stderr });
  const host = `echo '{"id":1,"command":":"}' | ${executable('agent-shell')} --jsonl > /dev/full`;
  const notWritten = expect.stringMatching(/^agent-shell: write error: ENOSPC/);
  expect(inBash(host)).toMatchObject({ status: 1, stderr: notWritten });
  const toNobody = inBash(`exec 3> >(:); wait $!; ${READ} >&3`);
  expect(toNobody).toMatchObject({ status: 1, stderr: '' });
});

test('a change that is stored is not refused, though its reply cannot be written', async () => {
  const { inBash, call } = machine();
  const stored = `${WRITE} --add A --active-form B`;
  const stderr = expect.stringMatching(
    /^TodoWrite: write error: ENOSPC: .*; any change is stored\n$/,
  );
  expect(inBash(`${stored} > /dev/full`)).toMatchObject({ status: 0, stderr });
  expect(inBash(`exec 3> >(:); wait $!; ${stored} >&3`)).toMatchObject({ status: 0, stderr: '' });
  expect((await call('TodoRead', ['--json'])).stdout.match(/"A"/g)).toHaveLength(2);
  expect(inBash(`${WRITE} --done 9 > /dev/full`)).toMatchObject({ status: 1 });
});

test('help that cannot be written is an error, also of commands that change lists', () => {
  const { inBash } = machine();
  for (const help of ['-h', '--help', '--version']) {
    const stderr = expect.stringMatching(/^TodoWrite: write error: ENOSPC: [^;]*\n$/);
    expect(inBash(`${WRITE} ${help} > /dev/full`)).toMatchObject({ status: 1, stderr });
  }
});

test('what cannot be said on standard error changes no exit code, and nothing on standard output', () => {
  const { inBash } = machine();
  const stdout = 'Todo list updated: 0 completed, 0 in_progress, 0 pending\n';
  expect(inBash(`${WRITE} [] 2> /dev/full`)).toMatchObject({ status: 0, stdout });
  expect(inBash(`${WRITE} --oops 2> /dev/full`)).toMatchObject({ status: 2, stdout: '' });
  expect(inBash(`${READ} > /dev/full 2>&1`)).toMatchObject({ status: 1 });
});

test.runIf(hasPrograms('perl'))(
  'a list longer than the capacity of a pipe is written whole, also to a non-blocking pipe',
  async () => {
    const { inBash, call } = machine();
    const long = JSON.stringify({
      todos: Array.from({ length: 3000 }, (_, index) => ({
        content: `Task ${index} ${'x'.repeat(100)}`,
        activeForm: 'Doing',
        status: 'pending',
      })),
    });
    await call('TodoWrite', [long], { TODO_MAX_ITEMS: '5000' });
    const nonBlocking = `perl -MFcntl -e 'fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK); exec @ARGV'`;
    for (const before of ['', nonBlocking]) {
      // Full before it is read.
      const { stdout, stderr } = inBash(`${before} ${READ} | { sleep 0.5; wc -l; }`);
      expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: '3005', stderr: '' });
    }
  },
);

test.skipIf(!hasTmux)('one that ends in the background leaves the terminal alone', async () => {
  const { root, state } = machine();
  writeFileSync(join(root, 'begun.cjs'), `require('fs').writeFileSync('begun', '')`);
  writeFileSync(
    join(root, 'script'),
    `export TODO_STATE_DIR='${state}'; mkfifo list; stty -echo
       NODE_OPTIONS=--require=./begun.cjs ${WRITE} - <list & exec 9>list
       until [ -e begun ]; do sleep 0.01; done
       stty echo; echo '{"todos":[]}' >&9; exec 9>&-; wait $!; stty -a; sleep 1000`,
  );
  const terminal = new TmuxTerminal('bash script', { cwd: root });
  const screen = await terminal.until('its mode', (text) => / -?echo\b/.test(text));
  expect(screen).toMatch(/updated[\s\S]* echo\b/);
});

test.runIf(hasPrograms('python3'))(
  'one that is the first process on its terminal has it open until its end',
  () => {
    const { root, inBash } = machine();
    writeFileSync(
      join(root, 'at-exit.cjs'),
      `process.on('exit', () => {
         try { require('fs').openSync('/dev/tty') } catch { process.exitCode = 9 }
       })`,
    );
    // As harnesses do, it closes the terminal that no process has open, and then waits.
    const onTerminal = `python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))'`;
    const ran = inBash(`${onTerminal} ${WRITE.replace(' ', " --require '../at-exit.cjs' ")} []`);
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining('list updated') });
  },
);
