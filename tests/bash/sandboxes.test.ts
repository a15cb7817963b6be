import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestAgent } from '../helpers/agents.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { startHost } from '../helpers/host-program.ts';
import { isHere } from '../helpers/machine.ts';
import { BASH_ENDED, printed, startSession } from '../helpers/session.ts';

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

async function runIn(wrapper: readonly string[], program = PROGRAM) {
  const host = await startHost(program, [], { wrapper });
  const { stdout, stderr } = await host.ended;
  expect(stderr).toBe('');
  const results = stdout.trim().split('\n');
  return { results: results.map((line) => JSON.parse(line)), tmp: host.tmp };
}

describe('a session works', () => {
  const sandboxes: [string, readonly string[]][] = [
    ['where not even a pair of Unix sockets can be had', [...DENY_SOCKETS, 'all']],
    ['in namespaces of its own, without a network', ['unshare', '-rnpf', '--kill-child']],
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
  test.runIf(canBeUser).each(['umask 0', 'umask 0777; chmod 0333 "$TMPDIR"'])(
    'for an ordinary user after %s',
    async (commands) => {
      const wrapper = ['sh', '-c', `${commands}; ${asUser}`, 'sh'];
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
  const mounted = (options: string) => [
    ...MOUNT,
    `mount -t tmpfs -o ${options} none "$TMPDIR" && exec "$@"`,
    'sh',
  ];
  const NO_PLACE = (code: string) =>
    new RegExp(
      `^agent-shell: the line was not run: programs cannot be installed in \\S+ \\(${code}\\): set TMPDIR to `,
    );

  test('runs no programs, is full or cannot be written, each line says so, and nothing is left', async () => {
    const mount = [
      'cd "$TMPDIR"; mkdir noexec full ro',
      'mount -t tmpfs -o noexec none noexec && mount -t tmpfs -o size=64k none full &&',
      '{ dd if=/dev/zero of=full/full 2>/dev/null; mount -t tmpfs -o ro none ro; } && "$@"; exit',
    ];
    const { results } = await runIn(
      [...MOUNT, mount.join('\n'), 'sh'],
      `import { BashSession } from './src/bash/bash-session.ts';
       import { readdirSync } from 'node:fs';
       for (const name of ['noexec', 'full', 'ro']) {
         const TMPDIR = process.env.TMPDIR + '/' + name;
         const handlers = new Map([['Agent', { name: 'Agent' }]]);
         const session = new BashSession({ env: { ...process.env, TMPDIR }, cwd: '/', handlers });
         const [one, two] = [await session.run('true'), await session.run('echo x')];
         await session.dispose();
         console.log(JSON.stringify([one.stderr, two.stderr, readdirSync(TMPDIR)]));
       }`,
    );
    const refused = (code: string, ...left: string[]) => {
      const told = expect.stringMatching(NO_PLACE(code));
      return [told, told, left];
    };
    expect(results).toEqual([refused('EACCES'), refused('ENOSPC', 'full'), refused('EROFS')]);
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
    const { results } = await runIn(mounted('size=1M'), program);
    expect(results).toEqual([
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
    const { results } = await runIn([...MOUNT, '"$@"', 'sh'], program);
    expect(results).toEqual([[0, expect.stringMatching(BASH_ENDED)], ...RESULTS]);
  });

  test('becomes noexec, no line is run without its agent commands', async () => {
    const program = PROGRAM.replace(
      'for (const line of',
      `await session.run('mount -o remount,bind,noexec "$TMPDIR"');
       for (const line of ['touch ran',`,
    ).replace(`${JSON.stringify(LINES)})`, "'true'])");
    const { results } = await runIn(mounted('size=1M'), program);
    expect(results).toEqual([
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

  test.each(["it's ü漢", ' a\nb ', '$(touch x)*;%s'])(
    'has an odd name, it works: %j',
    async (name) => {
      const tmp = join(temporaryDirectory(), name);
      mkdirSync(tmp);
      // A relative path need not exist here.
      const env = { TMPDIR: relative('/', tmp) };
      const session = startSession({ handlers: [agent()], cwd: '/', env });
      for (const word of ['x', 'y']) {
        expect(await session.run(`true; Agent ${word}`)).toEqual(printed(`${word}\n`));
        await session.run('rm -rf "$TMPDIR"/*');
      }
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
