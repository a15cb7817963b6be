import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { quote } from '../../../src/base/line/quotes.ts';
import { DEFAULT_SETTINGS } from '../../../src/base/settings/settings.ts';
import { agentHandlers } from '../../../src/shell/router/agent-handlers.ts';
import { taskCommands } from '../../../src/tasks/task-commands.ts';
import { taskContext } from '../../../src/tasks/task-context.ts';
import { TodoStore } from '../../../src/todo/todo-store.ts';
import { sharedAgentSession, TestAgent } from '../../helpers/agents.ts';
import { bashIsSince, plainBash } from '../../helpers/bash.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { hasPrograms } from '../../helpers/machine.ts';
import { ok } from '../../helpers/replies.ts';
import { printed, startSession, withoutBashEnded } from '../../helpers/session.ts';

const sessionWith = sharedAgentSession();

const TEXTS = [
  ...['', ' ', '\n\n\n', 'a\n\nb\n', '\t x \r\n', "it's", '"$HOME" `id` $(id) \\ \\n * ~ !! #'],
  ...['-', '--', '-n', '-e', '--help', '%s %d%n \\0 %%'],
  'ü漢字😀👨‍👩‍👧\u202e\ufeff\u2028\u{10ffff}\u0080\u009f',
  String.fromCharCode(...Array.from({ length: 127 }, (_, code) => code + 1)),
  // What the protocol speaks.
  ...['stdin 1 0\ntext 0 0 0\nbytes 0 0 0\n', 'a\0b\0', '\0', '\0'.repeat(1_000_000)],
  // What is read at once, and what bash holds in a variable.
  ...[4095, 4096, 4097, 65_535, 65_536, 1_000_000].map((length) => 'x'.repeat(length)),
  ...['\0', '\0y', 'ü', 'ü'.repeat(40_000)].map((end) => `${'x'.repeat(4095)}${end}`),
];

test.each(TEXTS.map((text) => [text.slice(0, 30), text.length, text] as const))(
  '%j (of %d characters) passes unchanged as argument, standard input, output and errors',
  async (_start, _length, text) => {
    const argument = text.includes('\0') || text.length > 100_000 ? 'x' : text;
    let reply = { stdout: text, stderr: '' };
    const agent = new TestAgent(() => ({ ...reply, exitCode: 7 }));
    const session = sessionWith(agent);
    const isSame = async (line: string) => {
      const { stdout, stderr, exitCode } = await session.run(line, { stdin: text });
      return stdout === reply.stdout && stderr === reply.stderr && exitCode === 7;
    };
    expect(await isSame(`Agent ${quote(argument)} "" -`)).toBe(true);
    reply = { stdout: '', stderr: text };
    expect(await isSame(`cat | Agent ${quote(argument)} -`)).toBe(true);
    reply = { stdout: text, stderr: 'y' };
    expect(await isSame('Agent - <&0')).toBe(true);
    expect(agent.calls.map((call) => call.stdin === text)).toEqual([true, true, true]);
    expect(agent.calls.map((call) => call.argv)).toEqual([
      [argument, '', '-'],
      [argument, '-'],
      ['-'],
    ]);
  },
);

describe('arguments and standard input', () => {
  test('ten thousand arguments, or none, arrive', async () => {
    const agent = new TestAgent();
    expect(await sessionWith(agent).run('Agent; Agent {1..10000}')).toEqual(printed());
    expect(agent.calls.map(({ argv }) => [argv.length, argv.at(-1)])).toEqual([
      [0, undefined],
      [10_000, '10000'],
    ]);
  });

  test('arguments that are not UTF-8 are refused, and the error says where', async () => {
    const agent = new TestAgent();
    const session = sessionWith(agent);
    expect((await session.run("Agent ok $'a\\nb\\xff'")).stderr).toBe(
      'Error: Invalid UTF-8\n- line 2, column 2: the byte 0xff is not UTF-8\n',
    );
    expect(agent.calls).toEqual([]);
  });

  test('standard input of more than 1 MiB is not read to its end, and never as if it were shorter', async () => {
    const agent = new TestAgent();
    const { stderr, exitCode } = await sessionWith(agent).run('yes | Agent -');
    expect({ stderr, exitCode }).toEqual({
      stderr: 'Agent: internal error: standard input is over 1 MiB\n',
      exitCode: 1,
    });
    expect(agent.calls).toEqual([]);
  });

  test('a handler that does not ask for standard input leaves it alone', async () => {
    const agent = new TestAgent();
    const session = sessionWith(agent);
    const { stdout } = await session.run(
      'while read -r word; do Agent "$word"; echo "read $word"; done; cat',
      {
        stdin: '1\n2\n3\nrest',
      },
    );
    expect(stdout).toBe('read 1\nread 2\nread 3\n');
    expect((await session.run('{ Agent x; cat; }', { stdin: 'left' })).stdout).toBe('left');
    expect(agent.calls.map((call) => call.argv)).toEqual([['1'], ['2'], ['3'], ['x']]);
  });

  test('in a line without standard input it is empty, also in the background', async () => {
    const agent = new TestAgent();
    await sessionWith(agent).run('Agent -; Agent - & wait; Agent - </dev/null; Agent - <&-');
    expect(agent.calls.map((call) => call.stdin)).toEqual(['', '', '', '']);
  });
});

describe('the reply', () => {
  test.each([10, 1_000_000])(
    'of %d characters fails at a full device as that of any command, and is quiet at a pipe without a reader',
    async (length) => {
      const agent = new TestAgent(() => ({ stdout: 'x'.repeat(length) }));
      const session = sessionWith(agent);
      const { exitCode, stderr } = await session.run('Agent >/dev/full');
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^[^\n]*write error|[^\n]*No space left/);
      expect(stderr.trim().split('\n').length).toBeLessThan(3);
      expect((await session.run('Agent | head -c 1 >/dev/null; Agent | true')).stderr).toBe('');
      expect(agent.calls.length).toBe(3);
    },
  );

  test('of a command that changes lists, at a full device, says that any change is stored, with exit code 0, unless it is help', async () => {
    const real = [
      ...agentHandlers(new TodoStore(), () => ({ settings: DEFAULT_SETTINGS, warnings: [] })),
      ...taskCommands(taskContext({ environment: {}, directory: () => '/' })),
    ];
    let length = 10;
    const handlers = real.map(({ name, isReadOnly }) =>
      Object.assign(new TestAgent(() => ({ stdout: 'x'.repeat(length) }), name), { isReadOnly }),
    );
    const session = startSession({ handlers });
    for (length of [10, 100_000]) {
      for (const { name, isReadOnly } of real) {
        const stored = `${name}: write error${isReadOnly ? '' : '; any change is stored'}\n`;
        const exitCode = isReadOnly ? 1 : 0;
        const result = { stdout: '', stderr: stored, exitCode };
        expect(await session.run(`command ${name} >/dev/full`)).toEqual(result);
        const refused = { stdout: '', stderr: `${name}: write error\n`, exitCode: 1 };
        expect(await session.run(`command ${name} --help >/dev/full`)).toEqual(refused);
      }
    }
  });

  // BSD's head wants at least one byte; busybox's reads ahead.
  const BSD_HEAD = '#!/bin/sh\n[ "$2" -gt 0 ] || exit 1\nexec /usr/bin/head "$@"\n';
  test.for([
    ['busybox', `#!/bin/sh\nexec busybox head "$@"\n`],
    ['BSD', BSD_HEAD],
  ] as const)('comes back byte for byte with the head of %s', async ([name, head], { skip }) => {
    if (name === 'busybox' && !hasPrograms(name)) skip('no busybox here');
    const bin = temporaryDirectory();
    writeFileSync(join(bin, 'head'), head, { mode: 0o755 });
    let reply = { stdout: '', stderr: '' };
    const agent = new TestAgent(() => reply);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const session = startSession({ handlers: [agent], env });
    for (const stdout of ['', '\0', 'ü\0'.repeat(500_000)]) {
      reply = { stdout, stderr: stdout.slice(0, 70_000) };
      expect(await session.run('Agent')).toEqual({ ...reply, exitCode: 0 });
      reply = { stdout, stderr: '\0' };
      expect(await session.run('Agent')).toEqual({ ...reply, exitCode: 0 });
    }
    const stdin = 'x'.repeat(100_000);
    await session.run('Agent -', { stdin });
    expect(agent.calls.at(-1)?.stdin === stdin).toBe(true);
  });

  test('to a closed output fails as that of echo, and not if there is none', async () => {
    const session = sessionWith(new TestAgent(() => ({ stdout: 'x\n', stderr: 'y\n' })));
    const { exitCode, stderr } = await session.run('Agent >&-');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^y\n[^\n]+\n$/);
    expect(await session.run('Agent 2>&-')).toEqual(printed('x\n'));
    const silent = sessionWith(new TestAgent());
    expect((await silent.run('Agent >/dev/full')).exitCode).toBe(0);
  });
});

/** Each calls the command once, with the argument x. */
const WAYS = [
  'IFS=A "Agent" x',
  'echo ignored | Agent x | cat',
  'echo "$(echo "`Agent x`")"',
  'cat <(Agent x)',
  'Agent x & wait $!',
  'f() { Agent "$@"; }; export -f f; bash -c "f x"',
  'trap "Agent x" USR1; kill -USR1 $$; trap - USR1',
  '(exec Agent x)',
  'exec bash -c "Agent x"',
  'echo x | xargs -P4 -n1 Agent',
  'setsid -w Agent x',
  'cd / && Agent x && cd - >/dev/null',
  // Without a directory, bash itself prints an error.
  'mkdir gone; cd gone; rmdir ../gone; Agent x 2>/dev/null; cd ..',
  // No setting of the caller changes its call.
  'env -i "$(type -P Agent)" x',
  'PATH=$(dirname "$(type -P Agent)") Agent x',
  'program=$(type -P Agent); (unset PATH; "$program" x)',
  '(set -x; Agent x) 2>/dev/null',
  'bash -xeuf "$(type -P Agent)" x 2>/dev/null',
  'bash --posix "$(type -P Agent)" x',
  '(set -eu; export SHELLOPTS; Agent x)',
  '(echo "echo injected; exit 9" >env.sh; export BASH_ENV=$PWD/env.sh; Agent x)',
  '(printf() { :; }; read() { :; }; export -f printf read; Agent x)',
  '(export POSIXLY_CORRECT=1 GLOBIGNORE="*"; Agent x)',
  '(export TMOUT=1 IFS=e BASH_XTRACEFD=1 PS4=+ PROMPT_COMMAND=: ENV=/x; Agent x)',
  '(export name=1 slot=2 kind=text a=1 b=9 c=9 tries=999 reached=1 out=o err=e; Agent x)',
  'CDPATH=/tmp:/ LC_ALL=C Agent x',
  '(set -C; umask 777; Agent x)',
  '(cd /; exec 3<&- 4<&- 5<&- 6<&-; Agent x)',
  '(exec 3<>/dev/null 4>/dev/null 5</dev/null 6>/dev/null; Agent x)',
  '(trap "" PIPE TERM INT; Agent x)',
  ...(bashIsSince(4, 0) ? ['Agent x |& cat', 'coproc Agent x; cat <&${COPROC[0]}; wait'] : []),
  // Older bashes complain when they have no descriptor left for themselves.
  ...(bashIsSince(4, 3) ? ['(ulimit -n 8; Agent x)'] : []),
];

/** The same in other shells and programs. */
const PROGRAMS = [
  'dash "$(type -P Agent)" x',
  'busybox sh "$(type -P Agent)" x',
  'fish -c "Agent x"',
  `python3 -c "import subprocess; subprocess.run(['Agent', 'x'])"`,
  "make -sf <(printf 'all:\\n\\tAgent x\\n')",
];

describe('every way of bash to call a command calls the agent command', () => {
  test.for([...WAYS, ...PROGRAMS])('%s', async (line, { skip }) => {
    const [program = ''] = line.split(' ');
    if (PROGRAMS.includes(line) && !hasPrograms(program)) skip(`no ${program} here`);
    const agent = new TestAgent(({ argv }) => ({ stdout: `called with ${argv}\n` }));
    // fish makes the home folder.
    const session = sessionWith(agent);
    await session.run('export HOME=$PWD');
    const result = await session.run(line, { timeoutMs: 60_000 });
    const stdout = 'called with x\n';
    expect(withoutBashEnded(result)).toEqual({ stdout, stderr: '', exitCode: 0 });
    expect(agent.calls.map((call) => call.argv)).toEqual([['x']]);
  });

  test('set -e stops at its failure, and pipefail sees it', async () => {
    const session = sessionWith(new TestAgent(() => ({ exitCode: 5 })));
    const { stdout, exitCode } = await session.run('(set -e; Agent; echo never)');
    // Bash 4.2 and 4.3 return 1.
    expect([stdout, exitCode]).toEqual([
      '',
      plainBash('(set -e; sh -c "exit 5"; echo never)').exitCode,
    ]);
    expect((await session.run('Agent | cat; echo ${PIPESTATUS[0]}')).stdout).toBe('5\n');
    expect((await session.run('(set -o pipefail; Agent | cat)')).exitCode).toBe(5);
  });

  test.each([
    'export PATH=/usr/bin:/bin',
    'PATH=/usr/bin:/bin; echo $((1 / 0))',
    "trap 'true' DEBUG; PATH=/usr/bin:/bin; trap - DEBUG",
    'set -o posix; PATH=/usr/bin:/bin',
    'echo PATH=/usr/bin:/bin >profile; . ./profile',
  ])('a line that replaces PATH loses no agent command: %s', async (line) => {
    const agent = new TestAgent();
    const session = sessionWith(agent);
    await session.run(line);
    await session.run('set +o posix');
    expect((await session.callerState('Agent')).isPlain).toBe(true);
    await session.run('Agent x | cat');
    expect(agent.calls).toHaveLength(1);
    expect((await session.run('echo "$PATH"')).stdout).toMatch(/:\/usr\/bin:\/bin\n$/);
  });

  test('a line may remove PATH, or make it readonly', async () => {
    const session = startSession({ handlers: [new TestAgent()] });
    expect((await session.run('PATH=; true')).exitCode).toBe(0);
    expect((await session.run('echo "[$PATH]"')).stdout).toBe('[]\n');
    await session.run('readonly PATH=/usr/bin:/bin');
    expect(await session.run('echo "$PATH"')).toEqual(ok('/usr/bin:/bin\n'));
  });

  test('a call of its name is one of ours unless bash would do more or less', async () => {
    const session = sessionWith(new TestAgent());
    await session.run("mkdir own; echo 'echo other' >own/Agent; chmod +x own/Agent");
    const isPlain = async () => (await session.callerState('Agent')).isPlain;
    for (const [change, undo] of [
      ['Agent() { echo mine; }', 'unset -f Agent'],
      ["shopt -s expand_aliases\nalias Agent='echo mine'", 'shopt -u expand_aliases; unalias -a'],
      ['path=$PATH PATH=$PWD/own:$PATH', 'PATH=$path'],
      ['PATH=', 'PATH=$path'],
      ['hash -p "$PWD/own/Agent" Agent', 'hash -r'],
      ['set -e', 'set +e'],
      ['set -x', '{ set +x; } 2>/dev/null'],
      ["trap 'echo failed $?' ERR", 'trap - ERR'],
      ["trap 'echo debug' DEBUG", 'trap - DEBUG'],
      ['exec 3>&1 >out', 'exec >&3'],
      ['exec 4>&2 2>err', 'exec 2>&4'],
      ['exec 2>&1', 'exec 2>&4'],
    ] as const) {
      expect([undo, await isPlain()]).toEqual([undo, true]);
      await session.run(change);
      expect([change, await isPlain()]).toEqual([change, false]);
      await session.run(undo);
    }
    await session.run("alias Agent='echo not expanded'; kept=yes");
    expect(await isPlain()).toBe(true);
    await session.run('unalias Agent');
  });
});
