import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quote } from '../src/base/line/quotes.ts';
import { isHere } from './helpers/machine.ts';
import { portableFolder } from './helpers/packed-package.ts';

// The portable folder in a root file system that has bash, a few tools and the C library: no Node, no npm, no git, no ps.

const TOOLS = 'bash cat chmod env id ls ln mkdir mkfifo mktemp readlink rm sleep stat touch'.split(
  ' ',
);
const PLACE = '/srv/some where/todowrite';
const USER = 1234;
const LIST = `{"todos":[{"content":"Dig","activeForm":"Digging","status":"in_progress"}]}`;

const runs = (program: string, ...argv: string[]) => spawnSync(program, argv).status === 0;
const canEnter = process.getuid?.() === 0 && runs('unshare', '--mount', 'chroot', '/', 'true');
const whyNot = canEnter
  ? runs('patchelf', '--version')
    ? undefined
    : 'patchelf'
  : 'the right to enter another root file system';

let system = '';

/** A program, and the libraries that it loads. */
function install(program: string): void {
  const path = execFileSync('bash', ['-c', 'type -P "$0"', program], { encoding: 'utf8' }).trim();
  const loaded = execFileSync('ldd', [path], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  copyFileSync(path, join(system, 'bin', program));
  for (const library of loaded) putLibrary(library);
}

function putLibrary(path: string): void {
  mkdirSync(join(system, dirname(path)), { recursive: true });
  copyFileSync(path, join(system, path));
}

/** Runs a line in its bash as another user, with the portable folder mounted read-only. */
function inside(line: string) {
  const enter = `
    mount -t proc proc "$0/proc" && mount --bind "$0$1" "$0$1" && mount -o remount,bind,ro "$0$1" &&
    exec chroot --userspec=${USER}:${USER} "$0" /bin/bash -c "$2"`;
  const env = { PATH: process.env.PATH, HOME: '/home', LANG: 'C.UTF-8' };
  const prepared = `PATH='${PLACE}/bin:/bin'; cd; LIST='${LIST}'; ${line}`;
  const argv = ['--mount', 'bash', '-c', enter, system, PLACE, prepared];
  const { stdout, stderr, status } = spawnSync('unshare', argv, { env, encoding: 'utf8' });
  return { stdout, stderr, status };
}

describe.runIf(isHere(whyNot ?? '', !whyNot))('in a system without Node', () => {
  beforeAll(async () => {
    system = mkdtempSync(join(tmpdir(), 'todowrite-system-'));
    chmodSync(system, 0o755);
    const portable = await portableFolder();
    for (const folder of ['bin', 'dev', 'proc', 'tmp', 'home', dirname(PLACE)]) {
      mkdirSync(join(system, folder), { recursive: true });
    }
    for (const name of TOOLS) install(name);
    const node = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
    for (const library of node.match(/\/\S+\/lib(c|m|dl|pthread)\.so\.\d\b/g) ?? [])
      putLibrary(library);
    symlinkSync('bash', join(system, 'bin', 'sh'));
    execFileSync('mknod', ['-m', '666', join(system, 'dev', 'null'), 'c', '1', '3']);
    for (const folder of ['tmp', 'home']) chmodSync(join(system, folder), 0o1777);
    cpSync(join(portable, 'todowrite'), join(system, PLACE), {
      recursive: true,
      verbatimSymlinks: true,
    });
  });
  afterAll(() => rmSync(system, { recursive: true, force: true }));

  test('nothing of what it does not need is there', () => {
    const line = 'for name in node npm git ps; do type -P $name; done; touch "${PATH%%/bin*}/x"';
    expect(inside(line)).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('Read-only'),
    });
  });

  test.each([
    [
      'TodoWrite and TodoRead keep a list',
      'TodoWrite "$LIST" && TodoRead',
      /^Todo list updated: 0 completed, 1 in_progress, 0 pending\n\[>\] Dig <- Digging\n/,
    ],
    [
      'a link to a command, and sh with its path, find their Node',
      `ln -s "\${PATH%%:*}/TodoRead" ~/read; TodoWrite '{"todos":[]}'; ~/read; sh "\${PATH%%:*}/TodoRead"`,
      /(No todos\.\n){2}$/,
    ],
  ])('%s', (_, line, stdout) => {
    expect(inside(line).stdout).toMatch(stdout);
  });

  test('agent-shell -c runs lines with the commands, and mends the quotes of one', () => {
    const line = `TodoWrite '{"todos":[{"content":"Don't","activeForm":"A","status":"pending"}]}'`;
    const given = inside(`agent-shell -c 'true && TodoRead | cat'; agent-shell -c ${quote(line)}`);
    expect(given.status).toBe(0);
    expect(given.stdout).toMatch(/Todo list updated: 0 completed, 0 in_progress, 1 pending\n$/);
  });

  test('agent-shell --jsonl and the hook answer, and the check of an install finds its Node', () => {
    const { stdout } = inside(`echo '{"id":1,"command":"true && TodoRead"}' | agent-shell --jsonl`);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, stdout: 'No todos.\n', exitCode: 0 });
    expect(inside('echo {} | agent-shell hook claude')).toMatchObject({ stderr: '', status: 0 });
    expect(inside('agent-shell setup --check').stdout).toContain(`${PLACE}/lib/node`);
  });
});
