import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import type { CommandResult } from '../../src/base/command/agent-command.ts';
import { APPEND, appendOwnFile, openOwn } from '../../src/base/system/files.ts';
import { AGENT_SHELL } from '../helpers/agent-shell.ts';
import { bundled } from '../helpers/bundle.ts';
import { cleanEnvironment, openProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { forAllTests } from '../helpers/for-all-tests.ts';
import { hasPrograms, isHere, isRoot } from '../helpers/machine.ts';
import { hasProc } from '../helpers/processes.ts';
import { json, todo } from '../todo/call.ts';

// Two users and root share a folder of lists, as a container and its host do.

const COMMANDS = join(dirname(AGENT_SHELL), 'commands');
const GROUP = 54_300;
const USERS = { ann: 54_301, ben: 54_302, root: 0 };
type User = keyof typeof USERS;

const canBeOthers =
  isRoot() &&
  isHere(
    'a checkout that other users can enter, and setpriv',
    spawnSync('setpriv', ['--reuid=54301', '--clear-groups', 'test', '-x', AGENT_SHELL]).status ===
      0,
  );
/** The system call of setfacl, which is not everywhere. Version 2; owner, group GROUP, mask: rwx; others: none. */
const SET_DEFAULT_ACL = `import os, struct, sys
entries = [(1, 7, 0xffffffff), (4, 7, 0xffffffff), (8, 7, ${GROUP}), (16, 7, 0xffffffff), (32, 0, 0xffffffff)]
acl = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *entry) for entry in entries)
for name in ('access', 'default'):
    os.setxattr(sys.argv[1], 'system.posix_acl_' + name, acl)`;

/** A process of each user, from its first call on. */
const users = forAllTests((finished) => {
  const start = async (user: User) => {
    const groups = user === 'root' ? '--clear-groups' : `--groups=${GROUP}`;
    const ids = [`--reuid=${USERS[user]}`, `--regid=${USERS[user]}`, groups];
    const program = [process.execPath, await bundled(join(import.meta.dirname, 'user.ts'))];
    const place = { cwd: '/', env: { PATH: process.env.PATH } };
    const child = openProgram('setpriv', [...ids, ...program], place, finished);
    child.stderr.pipe(process.stderr);
    return { child, results: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  };
  const started = new Map<User, ReturnType<typeof start>>();
  return (user: User) => {
    const running = started.get(user) ?? start(user);
    started.set(user, running);
    return running;
  };
});

/** A folder of lists, and a way to act in it as one of the users. */
function folder() {
  const root = temporaryDirectory();
  chmodSync(root, 0o755);
  const state = join(root, 'lists');
  mkdirSync(state);
  const env = { HOME: '/nowhere', TODO_STATE_DIR: state, TODO_SESSION: 'shared' };
  const run = async (user: User, umask: string, name: string, ...argv: string[]) => {
    const { child, results } = await users()(user);
    child.stdin.write(`${JSON.stringify({ umask, env, name, argv })}\n`);
    const { value } = await results.next();
    return JSON.parse(value) as CommandResult;
  };
  const write = (user: User, umask: string, ...contents: string[]) =>
    run(user, umask, 'TodoWrite', json(...contents.map((content) => todo(content))));
  const modes = () =>
    readdirSync(state, { recursive: true, encoding: 'utf8' }).map((name) => {
      const stat = statSync(join(state, name));
      return `${stat.isDirectory() ? 'folder' : 'file'} ${(stat.mode & 0o777).toString(8)}`;
    });
  return { state, run, write, modes };
}

describe.skipIf(!canBeOthers)('a folder of lists that a group may write', () => {
  const share = {
    setgid: (state: string) => {
      chownSync(state, USERS.ann, GROUP);
      chmodSync(state, 0o2770);
      return true;
    },
    'default ACL': (state: string) => {
      chownSync(state, USERS.ann, USERS.ann);
      const { status } = spawnSync('python3', ['-c', SET_DEFAULT_ACL, state]);
      return isHere('default ACLs, and Python to set them', status === 0);
    },
  };

  test.for(Object.keys(share) as (keyof typeof share)[])(
    '%s: both users and root read and write each list, whatever their umask',
    async (how, { skip }) => {
      const { state, run, write, modes } = folder();
      skip(!share[how](state));
      const done = { exitCode: 0, stderr: '' };
      const umasks = { ann: '022', ben: '077', root: '022' } as const;
      const contents: string[] = [];
      for (const user of ['ann', 'ben', 'root'] as const) {
        contents.push(user);
        expect(await write(user, umasks[user], ...contents)).toMatchObject(done);
      }
      for (const user of ['ann', 'ben'] as const) {
        expect(await run(user, umasks[user], 'TaskCreate', '--subject', 'A')).toMatchObject(done);
      }
      expect(new Set(modes())).toEqual(new Set(['folder 770', 'file 660']));
    },
  );

  test.each([0o755, 0o775])('%o alone: its files stay private', async (mode) => {
    const { state, write, modes } = folder();
    chownSync(state, USERS.ann, GROUP);
    chmodSync(state, mode);
    expect(await write('ann', '002', 'one')).toMatchObject({ exitCode: 0 });
    expect(new Set(modes())).toEqual(new Set(['folder 700', 'file 600']));
  });
});

describe.skipIf(!canBeOthers)("another user's files", () => {
  const theirs = (state: string, user: User) => {
    chmodSync(state, 0o777);
    const chown = (path: string) =>
      spawnSync('chown', ['-R', `${USERS[user]}:${USERS[user]}`, path]).status === 0;
    for (const name of readdirSync(state)) expect(chown(join(state, name))).toBe(true);
  };

  test('are no lists in a folder that is not shared on purpose', async () => {
    const { state, run, write } = folder();
    chmodSync(state, 0o777);
    expect((await write('ben', '000', 'a')).exitCode).toBe(0);
    expect((await run('ben', '000', 'TaskCreate', '--subject', 'A')).exitCode).toBe(0);
    spawnSync('chmod', ['-R', 'a+rwX', state]);
    for (const line of [['TodoRead'], ['TodoWrite', '[]'], ['TaskList'], ['TaskClaim', '1']]) {
      const [command = '', ...argv] = line;
      const { stdout, stderr, exitCode } = await run('ann', '022', command, ...argv);
      expect([line, stdout, exitCode]).toEqual([line, '', 3]);
      // The topmost that is not ann's: one command mends all.
      expect(stderr).toMatch(
        /belongs to user 54302; to make it yours: sudo chown -R 54301 '\S+\/lists\/[a-z~]+', or /,
      );
    }
    theirs(state, 'root');
    expect((await run('ann', '022', 'TodoRead')).exitCode).toBe(0);
  });

  test("root's, who used a user's folder before, name root and the way out", async () => {
    const { state, run, write } = folder();
    expect((await write('root', '022', 'a')).exitCode).toBe(0);
    chownSync(state, USERS.ann, USERS.ann);
    const met = [await run('ann', '022', 'TodoRead'), await write('ann', '022', 'b')];
    for (const { stderr, exitCode } of met) {
      expect(exitCode).toBe(3);
      expect(stderr).toContain(
        `${state}/shared belongs to root; to make it yours: sudo chown -R 54301 '${state}/shared'`,
      );
    }
    theirs(state, 'ann');
    expect((await write('ann', '022', 'b')).exitCode).toBe(0);
    const newest =
      readdirSync(join(state, 'shared', 'main')).find((name) => name.startsWith('2-')) ?? '';
    chownSync(join(state, 'shared', 'main', newest), 0, 0);
    expect((await run('ann', '022', 'TodoRead')).stderr).toMatch(
      /2-.*EACCES.*; it belongs to root; to make it yours: sudo chown -R 54301 '\S+\/2-/,
    );
  });

  test("what root makes in a user's folder belongs to that user, who goes on with it", async () => {
    const { state, run, write } = folder();
    chownSync(state, USERS.ann, USERS.ann);
    expect((await write('root', '022', 'a')).exitCode).toBe(0);
    expect((await run('root', '022', 'TaskCreate', '--subject', 'A')).exitCode).toBe(0);
    expect((await run('ann', '022', 'TodoRead')).stdout).toContain('[ ] a');
    expect((await write('ann', '022', 'a', 'b')).exitCode).toBe(0);
    expect((await write('root', '022', 'c')).exitCode).toBe(0);
    expect((await run('ann', '022', 'TaskCreate', '--subject', 'B')).exitCode).toBe(0);
    const owners = readdirSync(state, { recursive: true, encoding: 'utf8' }).map(
      (name) => statSync(join(state, name)).uid,
    );
    expect(new Set(owners)).toEqual(new Set([USERS.ann]));
  });

  test('a hard link that a user has put in the place of a file stays root’s', async () => {
    const { state, write } = folder();
    chownSync(state, USERS.ann, USERS.ann);
    expect((await write('ann', '022', 'a')).exitCode).toBe(0);
    const secret = join(dirname(state), 'secret');
    writeFileSync(secret, '');
    const link = join(state, 'shared', 'link');
    linkSync(secret, link);
    closeSync(openOwn(link, APPEND));
    appendOwnFile(link, 'x');
    expect(statSync(secret).uid).toBe(0);
  });
});

/** Runs a command whose every chmod fails, as on some mounts. */
const WITHOUT_CHMOD = `import ctypes, os, platform, struct, sys
calls = {'x86_64': (90, 91, 268, 452), 'aarch64': (52, 53, 452)}[platform.machine()]
code = [(0x20, 0, 0, 0)]
code += [(0x15, len(calls) - i, 0, call) for i, call in enumerate(calls)]
code += [(0x06, 0, 0, 0x7fff0000), (0x06, 0, 0, 0x00050001)]
filters = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *each) for each in code))
program = ctypes.create_string_buffer(struct.pack('HxxxxxxP', len(code), ctypes.addressof(filters)))
prctl = ctypes.CDLL(None, use_errno=True).prctl
assert prctl(38, 1, 0, 0, 0) == 0 and prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()
os.execvp(sys.argv[1], sys.argv[1:])`;

test.runIf(hasProc && hasPrograms('python3'))(
  'a volume that refuses chmod takes the first write, too',
  () => {
    const state = temporaryDirectory();
    chmodSync(state, 0o2777);
    const run = (...argv: string[]) =>
      spawnSync('python3', ['-c', WITHOUT_CHMOD, ...argv], {
        env: cleanEnvironment({
          TODO_STATE_DIR: state,
          TODO_SESSION: 's',
          PATH: `${COMMANDS}:${process.env.PATH}`,
        }),
        encoding: 'utf8',
      });
    expect(run('chmod', '700', state).status).not.toBe(0);
    for (const _ of [1, 2]) {
      const { status, stderr } = run('TodoWrite', json(todo('a')));
      expect([stderr, status]).toEqual(['', 0]);
    }
    expect(run('TodoRead').stdout).toContain('[ ] a');
  },
);

test.runIf(canBeOthers).each([
  [['sessions'], 'No lists in '],
  [['setup', '--check'], 'Commands and lists:'],
  [['setup', 'agents', '--print'], '# AGENTS.md'],
])(
  'a user of a container who has no home and no name in /etc/passwd can use agent-shell %j',
  (argv, shown) => {
    const ids = ['--reuid=54301', '--regid=54301', '--clear-groups'];
    const { HOME: _, ...env } = cleanEnvironment({ TODO_STATE_DIR: '/usr/lists' });
    const program = [...ids, process.execPath, AGENT_SHELL, ...argv];
    const { stdout, stderr } = spawnSync('setpriv', program, { cwd: '/', env, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.slice(0, shown.length)).toBe(shown);
  },
);

test.runIf(canBeOthers)('a user without a home is not told to take over the root folder', () => {
  const ids = ['--reuid=54301', '--regid=54301', '--clear-groups'];
  const argv = [...ids, process.execPath, AGENT_SHELL, 'state'];
  const env = cleanEnvironment({ HOME: '/', TODO_SESSION: 'shared' });
  const { stderr, status } = spawnSync('setpriv', argv, { cwd: '/', env, encoding: 'utf8' });
  expect(stderr).toMatch(
    /^Error: .*\n- cannot write \/\.local\/\S+: EACCES: permission denied, access '\/'\n- to keep lists elsewhere, .*\n$/,
  );
  expect(status).toBe(3);
});
