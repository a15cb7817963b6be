import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestAgent } from '../helpers/agents.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { startHost } from '../helpers/host-program.ts';
import { isHere } from '../helpers/machine.ts';
import { BASH_ENDED, startSession } from '../helpers/session.ts';

// A pipe, since the output of a test is a socket.
const DENY_SOCKETS = [
  ...['sh', '-c', '"$@" | cat', 'sh'],
  ...['perl', join(import.meta.dirname, '../helpers/deny-sockets.pl')],
];

const works = (what: string, [program = '', ...argv]: readonly string[]) =>
  isHere(what, String(spawnSync(program, [...argv, 'echo', 'ok']).stdout) === 'ok\n');

/** Lines that use all that a session needs of the system. Prints the results, one a line. */
const LINES = [
  'echo hi | cat; cd /; echo "$PWD"',
  `Agent '${'x'.repeat(100_000)}' | wc -c`,
  'echo some text | Agent -',
  'for i in 1 2 3 4 5 6 7 8 9 10; do Agent "$i" & done | sort -n | tr "\\n" " "; wait',
  'exit 3',
  'Agent after',
];
const RESULTS = [
  ['hi\n/\n', 0],
  ['100001\n', 0],
  ['some text\n', 0],
  ['1 2 3 4 5 6 7 8 9 10 ', 0],
  ['', 3],
  ['after\n', 0],
];
const PROGRAM = `
  import { BashSession } from './src/bash/bash-session.ts';
  const execute = async ({ argv, stdin }) =>
    ({ stdout: argv[0] === '-' ? await stdin() : argv[0] + '\\n', stderr: '', exitCode: 0 });
  const handlers = new Map([['Agent', { name: 'Agent', execute }]]);
  const session = new BashSession({ env: process.env, cwd: process.cwd(), handlers });
  for (const line of ${JSON.stringify(LINES)}) {
    const { stdout, stderr, exitCode } = await session.run(line);
    const isTold = line === 'exit 3' && stderr.includes('fresh bash');
    console.log(JSON.stringify(stderr === '' || isTold ? [stdout, exitCode] : [stderr]));
  }
  await session.dispose();
`;

async function runIn(wrapper: readonly string[], env: Record<string, string> = {}) {
  const host = await startHost(PROGRAM, [], { wrapper, env });
  await host.ended;
  expect(host.said.stderr).toBe('');
  const results = host.said.stdout.trim().split('\n');
  return { results: results.map((line) => JSON.parse(line)), tmp: host.tmp };
}

describe('a session works', () => {
  const sandboxes: [string, readonly string[]][] = [
    ["under Codex's filter, which denies the network", [...DENY_SOCKETS, 'codex']],
    ['where not even a pair of Unix sockets can be had', [...DENY_SOCKETS, 'all']],
    ['in a namespace without a network', ['unshare', '-rn']],
    ['in a namespace of processes of its own', ['unshare', '-rpf', '--kill-child']],
  ];
  for (const [name, wrapper] of sandboxes) {
    test.runIf(works(`a session ${name}`, wrapper))(name, async () => {
      const { results, tmp } = await runIn(wrapper);
      expect(results).toEqual(RESULTS);
      expect(readdirSync(tmp)).toEqual([]);
    });
  }

  // Modes do not bind root.
  const NOBODY = 65534;
  const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const isRoot = process.getuid?.() === 0;
  const asUser = isRoot
    ? `chown ${NOBODY} "$TMPDIR" . "\${2%/*}" "$2"; exec ${asNobody.join(' ')} "$@"`
    : 'exec "$@"';

  const canBeUser = !isRoot || works('the right to be another user', asNobody);
  test.runIf(canBeUser).each(['0777', '0'])(
    'for an ordinary user with a umask of %s',
    async (umask) => {
      const wrapper = ['sh', '-c', `umask ${umask}; ${asUser}`, 'sh'];
      const { results, tmp } = await runIn(wrapper);
      expect(results).toEqual(RESULTS);
      expect(readdirSync(tmp)).toEqual([]);
    },
  );

  test.runIf(canBeUser)(
    'for an ordinary user where TMPDIR lets nobody list its files',
    async () => {
      const wrapper = ['sh', '-c', `chmod 0333 "$TMPDIR"; ${asUser}`, 'sh'];
      const { results, tmp } = await runIn(wrapper);
      chmodSync(tmp, 0o700);
      expect(results).toEqual(RESULTS);
      expect(readdirSync(tmp)).toEqual([]);
    },
  );
});

const MOUNT = ['unshare', '-rm', 'sh', '-c'];

const MOUNTS = works('the right to mount', [...MOUNT, 'mount -t tmpfs none /mnt && "$@"', 'sh']);

describe.runIf(MOUNTS)('where TMPDIR', () => {
  const mounted = (options: string, before = '') => [
    ...MOUNT,
    `mount -t tmpfs -o ${options} none "$TMPDIR" && ${before} exec "$@"`,
    'sh',
  ];
  const NO_PLACE = (code: string) =>
    new RegExp(
      `^agent-shell: the line was not run: programs cannot be installed in \\S+ \\(${code}\\): set TMPDIR to `,
    );

  test.each([
    ['runs no programs', 'noexec', '', 'EACCES'],
    ['is full', 'size=64k', 'dd if=/dev/zero of="$TMPDIR/full" 2>/dev/null;', 'ENOSPC'],
    ['cannot be written', 'ro', '', 'EROFS'],
  ])('%s, each line says so and names it', async (_name, options, before, code) => {
    const list = `${before} trap 'ls -A "$TMPDIR" >&2' EXIT; "$@"; exit;`;
    const host = await startHost(PROGRAM, [], { wrapper: mounted(options, list) });
    await host.ended;
    const results = host.said.stdout.trim().split('\n');
    expect(results.length).toBe(LINES.length);
    for (const line of results) expect(JSON.parse(line)[0]).toMatch(NO_PLACE(code));
    expect(host.said.stderr).toBe(before === '' ? '' : 'full\n');
  });

  test('is full, lines that fit are run, and one can make room', async () => {
    const program = `
      import { BashSession } from './src/bash/bash-session.ts';
      const session = new BashSession({ env: process.env, cwd: '/' });
      await session.run('kept=1');
      const fill = 'dd if=/dev/zero of="$TMPDIR/full" 2>/dev/null; echo syntax error >&2; (exit 2)';
      const long = ': ' + 'x'.repeat(500_000) + '; kept=lost';
      for (const line of [fill, ...Array(50).fill('echo $kept'), long, 'echo $kept; rm "$TMPDIR/full"', long, 'echo $kept']) {
        const { stdout, stderr, exitCode } = await session.run(line);
        console.log(JSON.stringify([exitCode, stdout + stderr.replace(process.env.TMPDIR, 'TMPDIR')]));
      }
      await session.dispose();`;
    const host = await startHost(program, [], { wrapper: mounted('size=1M') });
    await host.ended;
    const results = host.said.stdout.trim().split('\n');
    expect([host.said.stderr, ...results.map((line) => JSON.parse(line))]).toEqual([
      '',
      [2, 'syntax error\n'],
      ...Array(50).fill([0, '1\n']),
      [
        1,
        expect.stringMatching(
          /^agent-shell: the line was not run: no space is left in TMPDIR\/\S+: make room there\n$/,
        ),
      ],
      [0, '1\n'],
      [0, ''],
      [0, 'lost\n'],
    ]);
  });

  test('is mounted over by a line, bash ends with a note, and the session goes on', async () => {
    const program = PROGRAM.replace(
      'for (const line of',
      `await session.run('kept=1; Agent x');
       const { stderr, exitCode } = await session.run('mount -t tmpfs none "$TMPDIR"');
       console.log(JSON.stringify([exitCode, stderr]));
       for (const line of`,
    );
    const host = await startHost(program, [], { wrapper: [...MOUNT, '"$@"', 'sh'] });
    await host.ended;
    const results = host.said.stdout.trim().split('\n');
    expect([host.said.stderr, ...results.map((line) => JSON.parse(line))]).toEqual([
      '',
      [0, expect.stringMatching(BASH_ENDED)],
      ...RESULTS,
    ]);
  });

  test('becomes noexec, no line is run without its agent commands', async () => {
    const program = PROGRAM.replace(
      'for (const line of',
      `await session.run('mount -o remount,bind,noexec "$TMPDIR"');
       for (const line of ['touch ran',`,
    ).replace(`${JSON.stringify(LINES)})`, "'true'])");
    const host = await startHost(program, [], { wrapper: mounted('size=1M') });
    await host.ended;
    const results = host.said.stdout.trim().split('\n');
    expect([host.said.stderr, ...results.map((line) => JSON.parse(line))]).toEqual([
      '',
      [expect.stringContaining('had lost its files')],
      [expect.stringMatching(NO_PLACE('EACCES'))],
    ]);
  });
});

describe('where TMPDIR', () => {
  const agent = () => new TestAgent(({ argv }) => ({ stdout: `${argv}\n` }));

  test('is relative, it is relative to the first directory of the session, also after a cd', async () => {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, 'tmp dir'));
    const session = startSession({ handlers: [agent()], cwd, env: { TMPDIR: 'tmp dir' } });
    await session.run('cd /');
    expect((await session.run('Agent x; exit 3')).stdout).toBe('x\n');
    expect((await session.run('Agent y')).stdout).toBe('y\n');
    expect(readdirSync(join(cwd, 'tmp dir')).length).toBe(1);
    await session.dispose();
    expect(readdirSync(join(cwd, 'tmp dir'))).toEqual([]);
  });

  test('a relative path that does not exist here is not an error', async () => {
    const session = startSession({
      handlers: [agent()],
      cwd: '/',
      env: { TMPDIR: relative('/', temporaryDirectory()) },
    });
    expect((await session.run('true; Agent x')).stdout).toBe('x\n');
  });

  test.each(["it's", ' a b ', 'new\nline', '$(touch x)', '*', '%s', '-n', 'ü漢', 'a;b'])(
    'has an odd name, it works: %j',
    async (name) => {
      const tmp = join(temporaryDirectory(), name);
      mkdirSync(tmp);
      const session = startSession({ handlers: [agent()], env: { TMPDIR: tmp } });
      expect(await session.run('true; Agent x')).toEqual({
        stdout: 'x\n',
        stderr: '',
        exitCode: 0,
      });
      await session.run('rm -rf "$TMPDIR"/*');
      expect(await session.run('true; Agent y')).toEqual({
        stdout: 'y\n',
        stderr: '',
        exitCode: 0,
      });
    },
  );

  test('is moved, the next lines say so and are not run; when it is back, lines run again', async () => {
    const parent = temporaryDirectory();
    const tmp = join(parent, 'tmp');
    mkdirSync(tmp);
    const session = startSession({ handlers: [agent()], env: { TMPDIR: tmp } });
    await session.run('variable=kept');
    renameSync(tmp, `${tmp}.moved`);
    for (const reason of [`bash had lost its files in ${tmp}/`, `${tmp} (ENOENT): set TMPDIR`]) {
      const { stderr, exitCode } = await session.run('touch ran');
      expect([exitCode, existsSync(join(session.cwd, 'ran'))]).toEqual([1, false]);
      expect(stderr).toContain(reason);
    }
    renameSync(`${tmp}.moved`, tmp);
    expect((await session.run('Agent x')).stdout).toBe('x\n');
  });

  test.each([
    ['nowhere', 'ENOENT'],
    ['a:b', 'a colon or control character in its name'],
    ['a\x7fb', 'a colon or control character in its name'],
  ])('is %j, each line says so', async (name, reason) => {
    const home = temporaryDirectory();
    for (const odd of ['a:b', 'a\x7fb']) mkdirSync(join(home, odd));
    const session = startSession({ env: { TMPDIR: join(home, name) } });
    for (const line of ['true', 'echo x']) {
      expect((await session.run(line)).stderr).toContain(`(${reason}): set TMPDIR to `);
    }
  });
});
