import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestAgent } from '../../helpers/agents.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { runInHost } from '../../helpers/host-program.ts';
import { isHere } from '../../helpers/machine.ts';
import { BASH_ENDED, printed, startSession } from '../../helpers/session.ts';

// A pipe, since the output of a test is a socket.
const DENY_SOCKETS = [
  ...['sh', '-c', '"$@" | cat', 'sh'],
  ...['perl', join(import.meta.dirname, '../../helpers/deny-sockets.pl')],
];

const works = (what: string, [program = '', ...argv]: readonly string[]) =>
  isHere(what, String(spawnSync(program, [...argv, 'echo', 'ok']).stdout) === 'ok\n');

/** Lines that use all that a session needs of the system. */
const LINES = [
  'echo hi | cat; cd /; echo "$PWD"',
  `Agent '${'x'.repeat(100_000)}' | wc -c`,
  'echo some text | Agent -',
  'for i in 1 2 3 4 5 6; do Agent "$i" & done | sort -n | tr "\\n" " "; wait',
  'exit 3',
  'Agent after',
];
const ENDED = { stdout: '', stderr: expect.stringMatching(BASH_ENDED) };
const RESULTS = [
  printed('hi\n/\n'),
  printed('100001\n'),
  printed('some text\n'),
  printed('1 2 3 4 5 6 '),
  { ...ENDED, exitCode: 3 },
  printed('after\n'),
];

describe('a session works', () => {
  const sandboxes: [string, readonly string[]][] = [
    ['where not even a pair of Unix sockets can be had', [...DENY_SOCKETS, 'all']],
    ['in namespaces of its own, without a network', ['unshare', '-rnpf', '--kill-child']],
  ];
  for (const [name, wrapper] of sandboxes) {
    test.runIf(works(`a session ${name}`, wrapper))(name, async () => {
      const { results, tmp } = await runInHost(LINES, wrapper);
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
      const { results, tmp } = await runInHost(LINES, wrapper);
      chmodSync(tmp, 0o700);
      expect(results).toEqual(RESULTS);
      expect(readdirSync(tmp)).toEqual([]);
    },
  );
});

const MOUNT = ['unshare', '-rm', 'sh', '-c'];

const MOUNTS = works('the right to mount', [...MOUNT, 'mount -t tmpfs none /mnt && "$@"', 'sh']);

describe.runIf(MOUNTS)('where TMPDIR', () => {
  const refused = (code: string) => {
    const reason = `programs cannot be installed in \\S+ \\(${code}\\): set TMPDIR to `;
    const stderr = expect.stringMatching(`^agent-shell: the line was not run: ${reason}`);
    return { stdout: '', stderr, exitCode: 1 };
  };

  test('runs no programs, is full, cannot be written or becomes noexec, each line says so, and nothing is left', async () => {
    const becomes = 'mount -o remount,bind,noexec "$TMPDIR"';
    const sessions = `
      for (const name of ['noexec', 'size=64k', 'ro', 'size=1M']) {
        const env = { ...process.env, TMPDIR: process.env.TMPDIR + '/' + name };
        const session = new BashSession({ env, cwd: '/', handlers });
        if (name === 'size=1M') await session.run(${JSON.stringify(becomes)});
        for (const line of ['true', 'echo x']) console.log(JSON.stringify(await session.run(line)));
        await session.dispose();
      }`;
    const mounts = `for options in noexec size=64k ro size=1M; do
      mkdir "$TMPDIR/$options" && mount -t tmpfs -o $options none "$TMPDIR/$options"
    done; dd if=/dev/zero of="$TMPDIR/size=64k/full" 2>/dev/null`;
    const left = 'find "$TMPDIR" -mindepth 2 ! -name full >&2';
    const { results } = await runInHost([], [...MOUNT, `${mounts}; "$@"; ${left}`, 'sh'], sessions);
    const lost = { stdout: '', stderr: expect.stringContaining('had lost its files') };
    const [noexec, full, ro] = ['EACCES', 'ENOSPC', 'EROFS'].map(refused);
    expect(results).toEqual([noexec, noexec, full, full, ro, ro, { ...lost, exitCode: 1 }, noexec]);
  });

  test('is full, lines that fit are run, and one can make room', async () => {
    const long = `: ${'x'.repeat(500_000)}; kept=lost`;
    const room = 'echo $kept; rm "$TMPDIR/full"';
    const short = Array<string>(50).fill('echo $kept');
    const fill = 'dd if=/dev/zero of="$TMPDIR/full" 2>/dev/null; (exit 2)';
    const lines = ['kept=1', fill, ...short, long, room, long, 'echo $kept'];
    const { results, tmp } = await runInHost(lines, [
      ...MOUNT,
      'mount -t tmpfs -o size=1M none "$TMPDIR" && exec "$@"',
      'sh',
    ]);
    const reason = `^agent-shell: the line was not run: no space is left in ${tmp}/\\S+: make room there\n$`;
    expect(results).toEqual([
      printed(),
      printed('', '', 2),
      ...short.map(() => printed('1\n')),
      { stdout: '', stderr: expect.stringMatching(reason), exitCode: 1 },
      printed('1\n'),
      printed(),
      printed('lost\n'),
    ]);
  });

  test('is mounted over by a line, bash ends with a note, and the session goes on', async () => {
    const lines = ['kept=1; Agent x', 'mount -t tmpfs none "$TMPDIR"', ...LINES.slice(0, 3)];
    const { results } = await runInHost(lines, [...MOUNT, '"$@"', 'sh']);
    expect(results).toEqual([printed('x\n'), { ...ENDED, exitCode: 0 }, ...RESULTS.slice(0, 3)]);
  });
});

test('a line that is longer than files may be is not run, not in part either, and the next one is', async () => {
  const lines = ['kept=1', `: ${'x'.repeat(60_000)}; kept=lost`, 'echo $kept'];
  const { results } = await runInHost(lines, ['sh', '-c', 'ulimit -f 80 && exec "$@"', 'sh']);
  const stderr = expect.stringMatching(/^agent-shell: the line was not run: files may not grow/);
  expect(results).toEqual([printed(), { stdout: '', stderr, exitCode: 1 }, printed('1\n')]);
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
