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
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasPostgres } from '../helpers/engines.ts';
import { cleanEnvironment, executable } from '../helpers/executables.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { forAllTests } from '../helpers/for-all-tests.ts';
import { isRoot } from '../helpers/machine.ts';
import { useServers } from '../helpers/servers.ts';

test('a copy of an executable alone says that its program is missing', () => {
  const folder = temporaryDirectory();
  for (const name of ['TodoRead', 'Renamed']) {
    const copy = join(folder, name);
    cpSync(executable('todo-read'), copy);
    const { stdout, stderr, status } = spawnSync(copy, { encoding: 'utf8' });
    expect({ stdout, stderr, status }).toEqual({
      stdout: '',
      stderr: `${name}: ${copy} is a copy without its program: install the package, or make a link to its executable\n`,
      status: 1,
    });
  }
});

describe('the code cache of an earlier run', () => {
  const servers = useServers();
  const HOOK = `const vm = require('node:vm');
    vm.Script = class extends vm.Script {
      constructor(source, options) {
        super(source, options);
        process._rawDebug('cache:', options.cachedData ? !this.cachedDataRejected : 'none');
      }
    };`;

  /** A copy of the package without a code cache, or with that of its first run. */
  function freshPackage(finished = onTestFinished, of = join(executable('agent-shell'), '../..')) {
    const root = temporaryDirectory(finished);
    const [dist, home, work] = [join(root, 'dist'), join(root, 'home'), join(root, 'work')];
    const env = (more: Record<string, string>) =>
      cleanEnvironment({ TODO_STATE_DIR: join(root, 'state'), TODO_GUIDANCE: 'off', ...more });
    cpSync(of, dist, {
      recursive: true,
      filter: (file) => of === usedOnce() || !/\.compiled|types$/.test(file),
    });
    mkdirSync(home);
    mkdirSync(work);
    const runWith = (hook: string, argv: string[], variables: Record<string, string>) => {
      writeFileSync(join(root, 'hook.cjs'), hook);
      const program = join(dist, 'bin', 'commands', 'TodoRead');
      const words = ['-r', join(root, 'hook.cjs'), program, ...argv];
      return spawnSync(process.execPath, words, { cwd: work, env: variables, encoding: 'utf8' });
    };
    const runRead = (argv: string[] = [], variables: Record<string, string> = {}) =>
      runWith(HOOK, argv, env({ HOME: home, XDG_CACHE_HOME: '', ...variables }));
    /** Runs as a user who sees another as the owner of each file that is open. */
    const runAs = (user: number, owner: number) => {
      const other = `${HOOK}
        const fs = require('fs');
        const { fstatSync } = fs;
        fs.fstatSync = (...all) => Object.assign(fstatSync(...all), { uid: ${owner} });
        process.getuid = () => ${user};`;
      return runWith(other, [], env({ HOME: home, XDG_CACHE_HOME: '' }));
    };
    const kept = () => listFiles(dist).filter((file) => file.endsWith('.compiled'));
    const keptFile = () => {
      const { mode, ino } = statSync(join(dist, kept()[0] ?? ''));
      return { isFinal: (mode & 0o777) === 0o444, ino };
    };
    /** Runs without HOME, or with another one, and with a read-only package. */
    const runWithoutHome = (others: Record<string, string> = {}) => {
      const locked = `${HOOK}
        const fs = require('fs');
        const { writeFileSync } = fs;
        fs.writeFileSync = (path, ...rest) => {
          if (path.startsWith(${JSON.stringify(dist)})) throw new Error('EROFS');
          return writeFileSync(path, ...rest);
        };
        require('os').userInfo = () => ({ homedir: ${JSON.stringify(home)} });`;
      const { HOME, ...variables } = env({ XDG_CACHE_HOME: 'relative' });
      return runWith(locked, [], { ...variables, ...others });
    };
    return { dist, home, work, runRead, runAs, runWithoutHome, kept, keptFile };
  }

  const usedOnce = forAllTests((finished) => {
    const { dist, runRead } = freshPackage(finished);
    runRead();
    return dist;
  });
  const usedPackage = () => freshPackage(onTestFinished, usedOnce());

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
    const { home, runRead, runWithoutHome, kept, keptFile } = usedPackage();
    const { ino } = keptFile();
    expect(runWithoutHome()).toMatchObject({ stdout: 'No todos.\n', stderr: 'cache: true\n' });
    expect(runRead().stderr).toBe('cache: true\n');
    expect(keptFile()).toEqual({ isFinal: true, ino });
    expect([kept().length, listFiles(home)]).toEqual([1, []]);
  });

  test.runIf(hasPostgres)('is kept apart for lists on a server, where other code runs', () => {
    const { runRead, kept } = usedPackage();
    const variables = { TODO_STATE_URL: servers.postgres.url, TODO_SESSION: 's' };
    expect(runRead([], variables).stderr).toBe('cache: none\n');
    expect(kept()).toHaveLength(2);
    expect(runRead([], variables).stderr).toBe('cache: true\n');
  });

  test('is not needed: it may be empty or garbage, and is not run if others could write it', () => {
    const { dist, runRead, kept } = usedPackage();
    const file = join(dist, kept()[0] ?? '');
    for (const text of ['', 'garbage '.repeat(10_000)]) {
      rmSync(file);
      writeFileSync(file, text);
      expect(runRead().stdout).toBe('No todos.\n');
    }
    expect(runRead().stderr).toBe('cache: true\n');
    chmodSync(file, 0o666);
    expect(runRead().stderr).toBe('cache: none\n');
  });

  test.each([
    ['run if it is root’s', 0, true],
    ['run if it is the user’s own', 54321, true],
    ['not run if it is another user’s', 1, 'none'],
  ])('is %s', (_, owner, used) => {
    const seen = usedPackage().runAs(54321, owner);
    expect(seen).toMatchObject({ stdout: 'No todos.\n', stderr: `cache: ${used}\n` });
  });

  test('is not run through a link to a file of ours, and a FIFO in its place does not hang', () => {
    const { dist, home, runRead, kept } = usedPackage();
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

  test.each<Record<string, string>>([
    {},
    // What a repository keeps there would be run.
    { HOME: '.' },
  ])("is kept in the user's home with %j, never in a relative folder", (variables) => {
    const { home, work, runWithoutHome, kept } = freshPackage();
    expect(runWithoutHome(variables).stderr).toBe('cache: none\n');
    expect(kept()).toEqual([]);
    expect(listFiles(work)).toEqual([]);
    expect(listFiles(join(home, '.cache', 'todowrite'))).toHaveLength(1);
    expect(statSync(join(home, '.cache', 'todowrite')).mode & 0o777).toBe(0o700);
    expect(runWithoutHome(variables).stderr).toBe('cache: true\n');
  });
});
