import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENT_SHELL } from '../helpers/agent-shell.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { json, todo } from '../todo/call.ts';

// Two users and root share a folder of lists, as a container and its host do.

const COMMANDS = join(dirname(AGENT_SHELL), 'commands');
const GROUP = 54_300;
const USERS = { ann: 54_301, ben: 54_302, root: 0 };
type User = keyof typeof USERS;

const canBeOthers =
  process.getuid?.() === 0 &&
  spawnSync('setpriv', ['--reuid=54301', '--clear-groups', 'test', '-x', AGENT_SHELL]).status === 0;
/** The system call of setfacl, which is not everywhere. Version 2; owner, group GROUP, mask: rwx; others: none. */
const SET_DEFAULT_ACL = `import os, struct, sys
entries = [(1, 7, 0xffffffff), (4, 7, 0xffffffff), (8, 7, ${GROUP}), (16, 7, 0xffffffff), (32, 0, 0xffffffff)]
acl = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *entry) for entry in entries)
for name in ('access', 'default'):
    os.setxattr(sys.argv[1], 'system.posix_acl_' + name, acl)`;

/** A folder of lists, and a way to act in it as one of the users. */
function folder() {
  const root = temporaryDirectory();
  chmodSync(root, 0o755);
  const state = join(root, 'lists');
  mkdirSync(state);
  const run = (user: User, umask: string, command: string, ...argv: string[]) => {
    const groups = user === 'root' ? '--clear-groups' : `--groups=${GROUP}`;
    const env = {
      PATH: `${COMMANDS}:${process.env.PATH}`,
      HOME: '/nowhere',
      TODO_STATE_DIR: state,
    };
    const line = `umask ${umask}; exec "$@"`;
    const ids = [`--reuid=${USERS[user]}`, `--regid=${USERS[user]}`, groups];
    const { status, stdout, stderr } = spawnSync(
      'setpriv',
      [...ids, 'sh', '-c', line, 'sh', command, ...argv],
      { env: { ...env, TODO_SESSION: 'shared' }, cwd: '/', encoding: 'utf8' },
    );
    return { exitCode: status, stdout, stderr };
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
      return spawnSync('python3', ['-c', SET_DEFAULT_ACL, state]).status === 0;
    },
  };

  test.each(Object.keys(share) as (keyof typeof share)[])(
    '%s: both users and root read and write each list, whatever their umask',
    (how) => {
      const { state, run, write, modes } = folder();
      if (!share[how](state)) return;
      const done = { exitCode: 0, stderr: '' };
      const umasks = { ann: '022', ben: '077', root: '022' } as const;
      const contents: string[] = [];
      for (const user of ['ann', 'ben', 'root'] as const) {
        contents.push(user);
        expect(write(user, umasks[user], ...contents)).toMatchObject(done);
      }
      for (const user of ['ann', 'ben'] as const) {
        expect(run(user, umasks[user], 'TaskCreate', '--subject', 'A')).toMatchObject(done);
      }
      expect(new Set(modes())).toEqual(new Set(['folder 770', 'file 660']));
    },
  );

  test.each([0o755, 0o775])('%o alone: its files stay private', (mode) => {
    const { state, write, modes } = folder();
    chownSync(state, USERS.ann, GROUP);
    chmodSync(state, mode);
    expect(write('ann', '002', 'one')).toMatchObject({ exitCode: 0 });
    expect(new Set(modes())).toEqual(new Set(['folder 700', 'file 600']));
  });
});
