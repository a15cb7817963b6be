import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasPostgres } from '../helpers/engines.ts';
import { cleanEnvironment, executable, run } from '../helpers/executables.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { hasPrograms, isRoot } from '../helpers/machine.ts';
import { useServers } from '../helpers/servers.ts';
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

test('in a directory that was deleted a session must be named', () => {
  const { root, inBash } = machine();
  const gone = join(root, 'gone');
  const readInDeleted = (...words: string[]) => {
    mkdirSync(gone);
    return inBash(`rmdir '${gone}'; exec ${READ} ${words.join(' ')}`, gone);
  };
  const stderr = expect.stringContaining('give --session NAME');
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

test('a reply that cannot be written is an error, of which nothing is said if the reader of a pipe has ended', () => {
  const { inBash, write } = machine();
  write([list('a')]);
  const stderr = expect.stringMatching(/^TodoRead: write error: ENOSPC/);
  expect(inBash(`${READ} > /dev/full`)).toMatchObject({ status: 1, stderr });
  const host = `echo '{"id":1,"command":":"}' | ${executable('agent-shell')} --jsonl > /dev/full`;
  const notWritten = expect.stringMatching(/^agent-shell: write error: ENOSPC/);
  expect(inBash(host)).toMatchObject({ status: 1, stderr: notWritten });
  const toNobody = inBash(`exec 3> >(:); wait $!; ${READ} >&3`);
  expect(toNobody).toMatchObject({ status: 1, stderr: '' });
});

test.runIf(hasPrograms('perl'))(
  'a list longer than the capacity of a pipe is written whole, also to a non-blocking pipe',
  () => {
    const { env, inBash, write } = machine();
    const long = JSON.stringify({
      todos: Array.from({ length: 3000 }, (_, index) => ({
        content: `Task ${index} ${'x'.repeat(100)}`,
        activeForm: 'Doing',
        status: 'pending',
      })),
    });
    write([], { input: long, env: env({ TODO_MAX_ITEMS: '5000' }) });
    const nonBlocking = `perl -MFcntl -e 'fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK); exec @ARGV'`;
    for (const before of ['', nonBlocking]) {
      // Full before it is read.
      const { stdout, stderr } = inBash(`${before} ${READ} | { sleep 0.5; wc -l; }`);
      expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: '3002', stderr: '' });
    }
  },
);

describe('the code cache of an earlier run', () => {
  const servers = useServers();
  const HOOK = `const vm = require('node:vm');
    vm.Script = class extends vm.Script {
      constructor(source, options) {
        super(source, options);
        process._rawDebug('cache:', options.cachedData ? !this.cachedDataRejected : 'none');
      }
    };`;

  /** A copy of the package without a code cache. */
  function freshPackage() {
    const { root, work, env } = machine();
    const dist = join(root, 'dist');
    cpSync(join(dirname(executable('agent-shell')), '..'), dist, {
      recursive: true,
      filter: (file) => !file.endsWith('.compiled') && !file.endsWith('types'),
    });
    const home = join(root, 'home');
    mkdirSync(home);
    const runWith = (hook: string, argv: string[], variables: Record<string, string>) => {
      writeFileSync(join(root, 'hook.cjs'), hook);
      const program = join(dist, 'bin', 'commands', 'TodoRead');
      const words = ['-r', join(root, 'hook.cjs'), program, ...argv];
      return spawnSync(process.execPath, words, { cwd: work, env: variables, encoding: 'utf8' });
    };
    const runRead = (argv: string[] = [], variables: Record<string, string> = {}) =>
      runWith(HOOK, argv, env({ HOME: home, XDG_CACHE_HOME: '', ...variables }));
    const kept = () => listFiles(dist).filter((file) => file.endsWith('.compiled'));
    const keptFile = () => {
      const { mode, ino } = statSync(join(dist, kept()[0] ?? ''));
      return { isFinal: (mode & 0o777) === 0o444, ino };
    };
    /** Runs without HOME, and with a read-only package. */
    const runWithoutHome = () => {
      const locked = `${HOOK}
        const fs = require('fs');
        const { writeFileSync } = fs;
        fs.writeFileSync = (path, ...rest) => {
          if (path.startsWith(${JSON.stringify(dist)})) throw new Error('EROFS');
          return writeFileSync(path, ...rest);
        };
        require('os').userInfo = () => ({ homedir: ${JSON.stringify(home)} });`;
      const { HOME, ...variables } = env({ XDG_CACHE_HOME: 'relative' });
      return runWith(locked, [], variables);
    };
    return { dist, home, work, runRead, runWithoutHome, kept, keptFile };
  }

  test('is kept by the first run that did its work, used by the next one, and kept anew by that for good', () => {
    const { runRead, kept, keptFile } = freshPackage();
    expect(runRead(['--help']).stderr).toBe('cache: none\n');
    expect(kept()).toEqual([]);
    expect(runRead()).toMatchObject({ stdout: 'No todos.\n', stderr: 'cache: none\n' });
    expect(kept()).toHaveLength(1);
    const first = keptFile();
    expect(first.isFinal).toBe(false);
    runRead(['--help']);
    expect(keptFile()).toEqual(first);
    expect(runRead()).toMatchObject({ stdout: 'No todos.\n', stderr: 'cache: true\n' });
    const second = keptFile();
    expect(second.isFinal).toBe(true);
    expect(second.ino).not.toBe(first.ino);
    expect(runRead().stderr).toBe('cache: true\n');
    expect(keptFile()).toEqual(second);
  });

  test('stays as it is if the second run cannot keep it, and no other run tries', () => {
    const { home, runRead, runWithoutHome, kept, keptFile } = freshPackage();
    runRead();
    const { ino } = keptFile();
    expect(runWithoutHome()).toMatchObject({ stdout: 'No todos.\n', stderr: 'cache: true\n' });
    expect(runRead().stderr).toBe('cache: true\n');
    expect(keptFile()).toEqual({ isFinal: true, ino });
    expect([kept().length, listFiles(home)]).toEqual([1, []]);
  });

  test.runIf(hasPostgres)('is kept apart for lists on a server, where other code runs', () => {
    const { runRead, kept } = freshPackage();
    const variables = { TODO_STATE_URL: servers.postgres.url, TODO_SESSION: 's' };
    expect(runRead().stderr).toBe('cache: none\n');
    expect(runRead([], variables).stderr).toBe('cache: none\n');
    expect(kept()).toHaveLength(2);
    expect(runRead([], variables).stderr).toBe('cache: true\n');
  });

  test('is not needed: it may be empty or garbage, and is not run if others could write it', () => {
    const { dist, runRead, kept } = freshPackage();
    runRead();
    const file = join(dist, kept()[0] ?? '');
    for (const text of ['', 'garbage '.repeat(10_000)]) {
      rmSync(file);
      writeFileSync(file, text);
      expect(runRead().stdout).toBe('No todos.\n');
    }
    expect(runRead().stderr).toBe('cache: true\n');
    chmodSync(file, 0o666);
    expect(runRead().stderr).toBe('cache: none\n');
    if (!isRoot()) return;
    chownSync(file, 1, 1);
    expect(runRead().stderr).toBe('cache: none\n');
  });

  test('is not run through a link to a file of ours, and a FIFO in its place does not hang', () => {
    const { dist, home, runRead, kept } = freshPackage();
    runRead();
    const file = join(dist, kept()[0] ?? '');
    const other = join(home, 'other');
    for (const link of [symlinkSync, linkSync]) {
      renameSync(file, other);
      link(other, file);
      expect(runRead()).toMatchObject({ stdout: 'No todos.\n', stderr: 'cache: none\n' });
    }
    rmSync(file);
    spawnSync('mkfifo', [file]);
    expect(runRead()).toMatchObject({ stdout: 'No todos.\n', stderr: 'cache: none\n' });
  });

  test('is neither read from nor written to a cache folder that others can write', () => {
    const { home, runWithoutHome } = freshPackage();
    runWithoutHome();
    const folder = join(home, '.cache', 'todowrite');
    expect(runWithoutHome().stderr).toBe('cache: true\n');
    const others: (() => void)[] = [() => chmodSync(folder, 0o777)];
    if (isRoot()) others.push(() => chownSync(folder, 1, 1));
    for (const make of others) {
      chmodSync(folder, 0o700);
      make();
      const files = listFiles(folder);
      expect(runWithoutHome()).toMatchObject({ stdout: 'No todos.\n', stderr: 'cache: none\n' });
      expect(listFiles(folder)).toEqual(files);
    }
  });

  test("is kept in the user's home if HOME is not set, never in a relative folder", () => {
    const { home, work, runWithoutHome, kept } = freshPackage();
    expect(runWithoutHome().stderr).toBe('cache: none\n');
    expect(kept()).toEqual([]);
    expect(listFiles(work)).toEqual([]);
    expect(listFiles(join(home, '.cache', 'todowrite'))).toHaveLength(1);
    expect(statSync(join(home, '.cache', 'todowrite')).mode & 0o777).toBe(0o700);
    expect(runWithoutHome().stderr).toBe('cache: true\n');
  });
});

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
