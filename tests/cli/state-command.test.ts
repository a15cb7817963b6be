import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateCommand } from '../../src/cli/state-command.ts';
import { items } from '../guidance/agent-session.ts';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment, executable, run } from '../helpers/executables.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { isHere } from '../helpers/machine.ts';
import { describeOn, useServers } from '../helpers/servers.ts';

// The lists of a shell and of its commands as separate programs, in files and on a server; `agent-shell state`.

const servers = useServers();

function machine(variables: Record<string, string>) {
  const work = temporaryDirectory();
  const env = cleanEnvironment({ HOME: work, TODO_SESSION: 'release', ...variables });
  return {
    work,
    env,
    /** `agent-shell state` in this process. */
    state: async (...argv: string[]) => stateCommand(argv, { environment: env, directory: work }),
    sh: (line: string, ...argv: string[]) =>
      run('agent-shell', [...argv, '-c', line], { cwd: work, env }),
    /** Runs a line in a JSON-lines host. */
    host: (command: string, ...argv: string[]) =>
      run('agent-shell', [...argv, '--jsonl'], {
        ...{ cwd: work, env },
        input: `${JSON.stringify({ id: 1, command })}\n`,
      }),
    /** A command in this process, its words without quotes and blanks. */
    call: (line: string) => {
      const [name = '', ...argv] = line.split(' ');
      return callCommand(env, name, argv, { cwd: work });
    },
  };
}

const item = (content: string) => JSON.stringify({ todos: items(`[ ] ${content}`) });

test.each([
  ['--session s', ['--session', 's'], ''],
  ['--session=s', ['--session=s'], ''],
  ['TODO_SESSION=s', [], 's'],
])(
  '%s names the list of a shell, with --jsonl too; it outlives the shell',
  async (_, argv, TODO_SESSION) => {
    const { host, sh, call } = machine({ TODO_SESSION });
    expect(host(`TodoWrite '${item('a')}'`, ...argv).exitCode).toBe(0);
    expect((await call('TodoRead --session s')).stdout).toContain('[ ] a\n');
    expect(sh('TodoRead | cat', ...argv).stdout).toContain('[ ] a\n');
  },
);

test('agent-shell state warns of settings that are not used, and of lists that came with a repository', async () => {
  const { state, work } = machine({ TODO_STATE_DIR: 'lists', TODO_STATE_TIMEOUT: '0.5' });
  mkdirSync(join(work, 'lists/release/main'), { recursive: true });
  writeFileSync(join(work, 'lists/release/main/1-abcdefgh.json'), '');
  execFileSync('sh', ['-c', 'git init -q && git add lists'], { cwd: work });
  const { stdout, stderr } = await state();
  expect(stderr).toMatch(/TODO_STATE_TIMEOUT must be .*\nWarning: git tracks files in \S+lists, /);
  expect(stdout).toContain(`in ${join(work, 'lists', 'untracked~')}.`);
});

test('the lists of a shell are those of TodoWrite on PATH; over --jsonl they are in memory unless a session is named', async () => {
  const { host, sh, call, work } = machine({ TODO_STATE_DIR: 'lists', TODO_SESSION: '' });
  expect(host(`TodoWrite '${item('a')}'; TodoRead`).stdout).toContain('[ ] a');
  expect(existsSync(join(work, 'lists'))).toBe(false);
  host(`TodoWrite --session s '${item('of s')}'`);
  expect((await call('TodoRead --session s')).stdout).toContain('[ ] of s\n');
  sh(`TodoWrite '${item('a')}'`);
  expect((await call('TodoRead')).stdout).toContain('[ ] a\n');
});

test('inside, the agent is that of --agent, and the commands take other lists as their options say', async () => {
  const { sh, call } = machine({ TODO_SESSION: '' });
  const line = `TodoWrite '${item('of bob')}'; TodoWrite --agent ann '${item('of ann')}' && TodoRead --agent ann --history`;
  // A writer of another agent's list signs with its own name.
  expect(sh(line, '--session', 's', '--agent', 'bob').stdout).toMatch(/\n1 .* bob {2}1 added\n$/);
  for (const agent of ['bob', 'ann'])
    expect((await call(`TodoRead --session s --agent ${agent}`)).stdout).toContain(`of ${agent}`);
});

test('a list that cannot be read does not stop a shell: commands on it end with 3, all others run', async () => {
  const { sh, host, call, work } = machine({ TODO_STATE_DIR: 'lists' });
  await call(`TodoWrite ${item('a')}`);
  const [file = ''] = listFiles(work).filter((name) => name.endsWith('.json'));
  writeFileSync(join(work, file), '{}');
  const { stdout, stderr } = sh('echo hi; TodoRead; echo $?; TodoWrite --done 1; echo $?');
  expect(stdout).toBe('hi\n3\n3\n');
  expect(stderr).toContain(`${join(work, file)} is damaged`);
  rmSync(join(work, 'lists'), { recursive: true });
  writeFileSync(join(work, 'lists'), 'not a folder');
  expect(host('TodoRead | cat; echo hi').stdout).toMatch(
    /"stdout":"hi\\n","stderr":"Error: Cannot read the list.*ENOTDIR.*TODO_STATE_DIR/,
  );
});

test('a folder that is not there, or has no lists, has none to copy', async () => {
  const { state, work } = machine({ TODO_STATE_DIR: 'lists' });
  expect(await state('copy', 'nowhere', 'copy')).toMatchObject({
    exitCode: 3,
    stderr: `Error: Cannot use the lists\n- there is no folder ${work}/nowhere\n`,
  });
  mkdirSync(join(work, 'photos', 'summer', 'sea'), { recursive: true });
  expect((await state('copy', 'photos', 'copy')).stdout).toBe(
    `There are no lists in ${work}/photos.\n`,
  );
});

test('a copy leaves out a version that is damaged, and says so', async () => {
  const { state, sh, call, work } = machine({ TODO_STATE_DIR: 'lists' });
  for (const name of ['Plan', 'Build', 'Ship']) await call(`TodoWrite ${item(name)}`);
  const folder = join(work, 'lists', 'release', 'main');
  const damaged = readdirSync(folder).find((name) => name.startsWith('2-')) ?? '';
  appendFileSync(join(folder, damaged), 'x');
  expect(await state('copy', 'lists', 'copy')).toEqual({
    stdout: 'todos release main: 2 versions, verified\n',
    stderr: `Error: todos release main: ${folder}/${damaged} is damaged: its checksum does not match; version 1 stands in for it in the copy\n`,
    exitCode: 3,
  });
  expect(sh('TODO_STATE_DIR=copy TodoRead')).toMatchObject({
    ...{ exitCode: 0, stderr: '', stdout: expect.stringContaining('[ ] Ship') },
  });
});

test('a copy ends at the first list for which its server cannot be reached', async () => {
  const { state, call } = machine({ TODO_STATE_DIR: 'lists', TODO_STATE_TIMEOUT: '1' });
  for (const agent of ['ann', 'bob']) await call(`TodoWrite --agent ${agent} ${item('Build')}`);
  expect(await state('copy', 'lists', 'etcd://127.0.0.1:1/acme')).toEqual({
    stdout: '',
    stderr: expect.stringMatching(
      /^Error: todos release ann: 0 of 2 lists are copied; cannot read from etcd .*\n$/,
    ),
    exitCode: 3,
  });
});

const READ_ONLY = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs -o ro none /mnt && "$@"', 'sh'];

const canMount = spawnSync('unshare', [...READ_ONLY.slice(1), 'true']).status === 0;

test.runIf(isHere('the right to mount', canMount))(
  'lists in files: a folder that cannot be written is an error',
  () => {
    const { work, env } = machine({ TODO_STATE_DIR: '/mnt/lists' });
    const [program = '', ...argv] = [...READ_ONLY, executable('agent-shell'), 'state'];
    const { stdout, stderr, status } = spawnSync(program, argv, {
      cwd: work,
      env,
      encoding: 'utf8',
    });
    expect(stdout).toContain('It does not exist yet');
    expect(stderr).toMatch(/cannot write \/mnt\/lists\/release\/main: EROFS: .* access '\/mnt'\n/);
    expect(status).toBe(3);
  },
);

test('lists in files: it names the folder, your list and its version', async () => {
  const { state, call, work, env } = machine({ TODO_STATE_DIR: 'lists' });
  expect(run('agent-shell', ['state'], { cwd: work, env }).stdout).toMatch(
    /^Lists are stored in files, in .*\/lists\.\nYour list: session release, agent main\.\nIt does not exist yet; looking for it took [\d.]+ ms\.\nYou may write it\.\n$/,
  );
  await call(`TodoWrite ${item('Build')}`);
  const { stdout } = await state();
  expect(stdout).toContain(`${work}/lists`);
  expect(stdout).toMatch(
    /It is at version 1, with 1 item; reading it took [\d.]+ ms\.\nYou may write it\.\n$/,
  );
  expect(await state('init')).toMatchObject({ exitCode: 3, stdout: '' });
});

test.each([
  [['bogus'], "Error: state takes init or copy, received 'bogus'"],
  [['copy', 'a'], 'Error: copy takes two places, each a folder or a URL'],
  [['init', 'x'], "Error: state takes init or copy, received 'init x'"],
  [['--bogus'], 'Error: '],
])('%j is wrong usage', async (argv, error) => {
  const { stdout, stderr, exitCode } = await machine({}).state(...argv);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain(error);
});

describeOn(servers.one, (server) => {
  test('the commands work as on files, from several directories', async () => {
    const variables = { TODO_STATE_URL: server().emptyUrl() };
    const [one, other] = [machine(variables), machine(variables)];
    await one.state('init');
    for (const line of ['TaskCreate --subject A', 'TaskCreate --subject B --blocked-by 1'])
      await one.call(line);
    for (const [on, line, said] of [
      [one, `TodoWrite ${item('Build')}`, /1 pending\n$/],
      [other, 'TodoRead', /^\[ \] Build\n/],
      [other, `TodoWrite ${item('Test')}`, /1 pending\n$/],
      [one, `TodoWrite --if-version 1 ${item('Late')}`, /^$/],
      [one, 'TodoWrite --undo', /1 pending\n$/],
      [other, 'TodoRead', /^\[ \] Build\n/],
      [one, 'TodoRead --history', /^3 .*\n2 .*\n1 /],
      [other, 'TaskClaim --next --agent bob', /^Task #1 claimed by bob: A\n$/],
      [one, 'TaskClaim 1 --agent ann', /^$/],
      [other, 'TaskUpdate 1 --status completed --agent bob', /^Updated task #1: status\n/],
      [one, 'TaskInbox', /claimed by bob\n.*completed by bob\n$/],
      [other, 'TaskUndo --agent bob', /^Undone: completed #1 A\n$/],
      [other, 'TaskUpdate 1 --status completed --agent bob', /^Updated task #1: status\n/],
      [one, 'TaskArchive 1', /./],
      [one, 'TaskList', /^#2 \[pending\] B\n$/],
      [other, 'TaskList --archived', /^#1 \[completed\] A \(bob\)\n$/],
    ] as const) {
      expect((await on.call(line)).stdout, line).toMatch(said);
    }
    expect((await one.state()).stdout).toMatch(
      /It is at version 3, with 1 item; reading it took [\d.]+ ms\.\nYou may write it\.\n$/,
    );
  });

  test('without a session or a list no command guesses one', async () => {
    const { call } = machine({ TODO_STATE_URL: server().emptyUrl(), TODO_SESSION: '' });
    for (const [line, named] of [
      ['TodoRead', /you must name the session.*TODO_SESSION/],
      [`TodoWrite ${item('x')}`, /you must name the session.*TODO_SESSION/],
      ['TaskList', /you must name the team or the session.*TODO_TEAM/],
    ] as const) {
      const { stdout, stderr, exitCode } = await call(line);
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
      expect(stderr).toMatch(named);
    }
  });

  test('a team needs no session: state reports its tasks', async () => {
    const TODO_STATE_URL = server().emptyUrl();
    const { call, state } = machine({ TODO_STATE_URL, TODO_SESSION: '', TODO_TEAM: 'blue' });
    await state('init');
    await call('TaskCreate --subject A');
    expect((await state()).stdout).toMatch(
      /\nYour team's tasks are in list blue\.\nIt is at version 1, with 1 task; reading it took [\d.]+ ms\.\nYou may write it\.\n$/,
    );
  });

  test('copy moves lists with their history there and back', async () => {
    const there = server().emptyUrl();
    const { call, state, work } = machine({ TODO_STATE_DIR: 'lists' });
    const long = 'x'.repeat(300);
    for (const line of [
      `TodoWrite --agent ${long} ${item('Long')}`,
      ...['a', 'b', 'c'].map((name) => `TodoWrite ${item(name)}`),
      'TaskCreate --subject A',
      'TaskCreate --subject B --blocked-by 1',
      'TaskClaim 1 --agent bob',
      'TaskUpdate 1 --status completed',
    ])
      expect(await call(line), line).toMatchObject({ exitCode: 0 });
    await machine({ TODO_STATE_URL: there }).state('init');
    const copied = await state('copy', 'lists', there);
    expect(copied).toMatchObject({ stderr: '', exitCode: 0 });
    expect(copied.stdout).toMatch(
      /^todos release main: 3 versions, verified\ntodos release x+…?.*: 1 version, verified\ntasks release: \d+ versions, verified\n$/,
    );
    expect(await state('copy', there, 'back')).toEqual(copied);
    const back = machine({ TODO_STATE_DIR: join(work, 'back') });
    for (const line of [
      'TodoRead --history',
      `TodoRead --agent ${long}`,
      'TaskList --json',
      'TaskGet 1',
    ]) {
      expect(await back.call(line)).toEqual(await call(line));
    }
    const again = await state('copy', there, 'back');
    expect(again).toMatchObject({ stdout: '', exitCode: 3 });
    expect(again.stderr.match(/this list already exists; it was left alone/g)).toHaveLength(3);
  });
});

test('a server that cannot be reached is named, and its password is not', async () => {
  const { sh, state } = machine({
    TODO_STATE_URL: 'etcd://ann:s3cret@127.0.0.1:1/acme',
    TODO_STATE_TIMEOUT: '1',
  });
  const write = sh(`TodoWrite '${item('x')}'`);
  expect(write).toMatchObject({ stdout: '', exitCode: 3 });
  expect(write.stderr).toBe(
    'Error: Cannot update the list\n- cannot read from etcd at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; nothing was changed\n',
  );
  expect(sh('TodoRead').stderr).not.toContain('nothing was changed');
  const told = await state();
  expect(told).toEqual({
    stdout:
      'Lists are stored on etcd at 127.0.0.1:1.\n127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\nYour list: session release, agent main.\n',
    stderr: expect.stringMatching(/^Error: Cannot use the lists\n- cannot read from etcd/),
    exitCode: 3,
  });
  expect(await state('init')).toMatchObject({ stdout: '', exitCode: 3 });
  expect(JSON.stringify([write, told])).not.toContain('s3cret');
});

test('state says why PostgreSQL could not be reached, not that the time is used up', async () => {
  const { state } = machine({
    TODO_STATE_URL: 'postgres://ann@127.0.0.1:1/lists',
    TODO_STATE_TIMEOUT: '1',
  });
  expect((await state()).stderr).toBe(
    'Error: Cannot use the lists\n- cannot read from PostgreSQL at 127.0.0.1:1/lists: connect ECONNREFUSED 127.0.0.1:1\n',
  );
});
