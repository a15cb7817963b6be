import { getEventListeners } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type AgentBashHandler,
  type CommandResult,
  CommandType,
} from '../../../src/base/command/agent-command.ts';
import { BashRouter } from '../../../src/shell/router/bash-router.ts';
import type { TodoItem } from '../../../src/todo/todo-fields.ts';
import { TodoStore } from '../../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../../src/todo/todo-write.ts';
import { TestAgent } from '../../helpers/agents.ts';
import { plainEval } from '../../helpers/bash.ts';
import { eventually } from '../../helpers/eventually.ts';
import { listFiles } from '../../helpers/files.ts';
import { forAllTests } from '../../helpers/for-all-tests.ts';
import { startRouter } from '../../helpers/session.ts';

const { AGENT_SHELL_COMMAND, NATIVE_SHELL_COMMAND } = CommandType;

const startWith = (...handlers: AgentBashHandler[]) => startRouter({ handlers });

let agentOfTest: AgentBashHandler | undefined;
const sharedRouter = forAllTests((finished) => {
  const started = startRouter({}, finished);
  const execute: AgentBashHandler['execute'] = async (call) =>
    (agentOfTest ?? new TestAgent()).execute(call);
  started.router.register({ name: 'Agent', execute });
  return started;
});

/** For lines that leave it as it was. @param agent `Agent` from now on. */
function shared(agent?: AgentBashHandler) {
  agentOfTest = agent;
  return sharedRouter().router;
}

const ITEMS: TodoItem[] = [
  { content: "Don't stop", activeForm: "Can't stop", status: 'pending' },
  { content: 'Ship', activeForm: 'Shipping', status: 'in_progress' },
];
const JSON_LIST = JSON.stringify({ todos: ITEMS });

test.each([
  ['TodoWrite', AGENT_SHELL_COMMAND],
  [' \tTodo"Write"\tx ', AGENT_SHELL_COMMAND],
  ['TodoWriter x', NATIVE_SHELL_COMMAND],
  ['TodoWrite x; true', NATIVE_SHELL_COMMAND],
  ['', NATIVE_SHELL_COMMAND],
  [`TodoWrite '{"todos":["Don't stop"]}'`, AGENT_SHELL_COMMAND],
  [`TodoWrite '{"todos":[]}' && echo done`, NATIVE_SHELL_COMMAND],
])('the type of the line %j is %s', (line, type) => {
  expect(shared().identifyCommandType(line)).toBe(type);
});

describe('routing', () => {
  test('a literal agent command reaches its handler without any bash', async () => {
    const agent = new TestAgent(() => ({ stdout: 'out', stderr: 'err', exitCode: 3 }));
    const { router, tmp } = startWith(agent);
    router.identifyCommandType('Agent x; touch file');
    expect(await router.route("Agent 'a b' \\$c")).toEqual({
      type: AGENT_SHELL_COMMAND,
      stdout: 'out',
      stderr: 'err',
      exitCode: 3,
    });
    expect(agent.calls).toEqual([{ argv: ['a b', '$c'], stdin: '', raw: "'a b' \\$c" }]);
    expect(listFiles(tmp)).toEqual([]);
  });

  test('a list in memory gets no warnings of settings that only files and servers have', async () => {
    const env = { ...process.env, TODO_HISTORY: 'many', TODO_MAX_ITEMS: 'few' };
    const { router } = startRouter({ store: new TodoStore(), env });
    const { stderr } = await router.route(`TodoWrite '{"todos":[]}'`);
    expect(stderr).toContain('TODO_MAX_ITEMS');
    expect(stderr).not.toContain('TODO_HISTORY');
  });

  test('every other line reaches bash, and the agent commands within it the same handler; so does standard input', async () => {
    const agent = new TestAgent(({ argv, stdin }) => ({ stdout: `${argv} ${stdin}` }));
    const router = shared(agent);
    const output = async (line: string, stdin?: string) =>
      (await router.route(line, stdin === undefined ? {} : { stdin })).stdout;
    expect(await output('echo in | Agent "$((1+1))" - | tr a-z A-Z')).toBe('2,- IN\n');
    expect(await output('Agent -', 'one')).toBe('- one');
    expect(await output('cat; Agent -', 'two')).toBe('two- ');
    expect(await output('Agent -')).toBe('- ');
  });

  test('a handler that throws gives an error, and the router goes on', async () => {
    const router = shared(
      new TestAgent(({ argv }) => {
        if (argv[0] === 'fail') throw new Error('no\x1b[2J luck');
        return { stdout: 'fine' };
      }),
    );
    expect(await router.route('Agent fail')).toEqual({
      type: AGENT_SHELL_COMMAND,
      stdout: '',
      stderr: 'Agent: internal error: no␛[2J luck\n',
      exitCode: 1,
    });
    expect((await router.route('Agent x')).stdout).toBe('fine');
  });

  test.each([undefined, {}, { stdout: 'x', stderr: '' }])(
    'a handler that resolves to %j gives an error, too',
    async (answer) => {
      const agent = { name: 'Agent', execute: async () => answer as unknown as CommandResult };
      const { router } = startWith(agent);
      const stderr = 'Agent: internal error: execute resolved to no { stdout, stderr, exitCode }\n';
      for (const line of ['Agent', 'true && Agent']) {
        expect(await router.route(line)).toMatchObject({ stdout: '', stderr, exitCode: 1 });
      }
    },
  );

  test('a line that is no string is refused in words', async () => {
    const line = undefined as unknown as string;
    await expect(shared().route(line)).rejects.toThrow('A line is a string, not undefined');
  });

  test.each([
    ['its time limit', 50, 124, 'timed out after 50 ms'],
    ['a cancel', undefined, 130, 'cancelled'],
  ])('%s ends an agent command, too', async (_name, timeoutMs, exitCode, message) => {
    const agent = new TestAgent();
    const router = shared(agent);
    const cancel = new AbortController();
    const running = router.route('Agent wait', { timeoutMs, signal: cancel.signal });
    await eventually('the call', () => agent.calls.length > 0);
    if (timeoutMs === undefined) cancel.abort();
    const result = await running;
    expect(result).toMatchObject({ stdout: '', exitCode });
    expect(result.stderr).toBe(`Agent: ${message}; it may still take effect\n`);
    expect((await router.route('echo $?')).stdout).toBe(`${exitCode}\n`);
    agent.release();
  });

  test('its time limit ends the wait for a listener that never takes the output', async () => {
    const { router, cwd, has } = startWith(new TestAgent(() => ({ stdout: 'fine' })));
    const limited = { timeoutMs: 50, onStdout: () => new Promise<void>(() => {}) };
    expect(await router.route('Agent x', limited)).toMatchObject({ stdout: 'fine', exitCode: 0 });
    await router.route('(until [ -e go ]; do sleep 0.01; done; echo late; touch gone) &');
    writeFileSync(join(cwd, 'go'), '');
    await eventually('the job has written', () => has('gone'));
    expect((await router.route('sleep 60', limited)).exitCode).toBe(124);
  });

  test('dispose ends the wait for its agent command', async () => {
    const agent = new TestAgent();
    const { router } = startWith(agent);
    const waiting = router.route('Agent wait');
    await eventually('it is called', () => agent.calls.length > 0);
    await router.dispose();
    const stderr = 'Agent: cancelled: the router was disposed; it may still take effect\n';
    expect(await waiting).toMatchObject({ stderr, exitCode: 130 });
  });

  test('the limit of a line that has ended is forgotten', async () => {
    const router = shared();
    await router.route('true');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { signal } = new AbortController();
    for (const line of ['Agent', 'true', 'true && Agent']) {
      await router.route(line, { timeoutMs: 60_000, signal });
      expect([line, vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([
        line,
        0,
        0,
      ]);
    }
  });

  test('a line that is cancelled before it began has not run', async () => {
    const agent = new TestAgent();
    const router = shared(agent);
    expect(await router.route('Agent x', { signal: AbortSignal.abort() })).toMatchObject({
      stderr: 'agent-shell: cancelled before it began\n',
      exitCode: 130,
    });
    expect(agent.calls).toEqual([]);
  });

  test('a time limit that no timer can keep is none', async () => {
    const router = shared(new TestAgent(() => ({ stdout: 'agent\n' })));
    for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 31, Number.NaN]) {
      expect((await router.route('sleep 0.05; echo bash', { timeoutMs })).stdout).toBe('bash\n');
      expect((await router.route('Agent', { timeoutMs })).stdout).toBe('agent\n');
    }
  });

  test.each([100_000, 1_100_000])(
    '%d characters that bash cannot read end in a short error',
    async (length) => {
      const { exitCode, stderr } = await shared().route(`TodoWrite "${'x'.repeat(length)}`);
      expect(exitCode).not.toBe(0);
      expect(stderr.length).toBeLessThan(10_000);
      expect(stderr).toMatch(/\n$/);
      expect((await shared().route('echo next')).stdout).toBe('next\n');
    },
  );
});

describe('a literal call', () => {
  test('is made without bash where bash would do nothing else', async () => {
    const agent = new TestAgent();
    const router = shared(agent);
    await router.route('kept=yes');
    await router.route('Agent x');
    expect(agent.calls[0]?.raw).toBe('x');
  });

  test.each([
    'Agent() { echo "mine $*"; }',
    'set -e; kept=yes',
    "trap 'echo debug' DEBUG",
    'exec >out',
  ])('does the same as within a line after %s', async (preparation) => {
    const isUndone = !preparation.startsWith('exec');
    const undo = isUndone ? 'unset -f Agent; set +e; unset -v kept; trap - DEBUG' : 'exit';
    const observed = [];
    for (const line of ['Agent x', 'Agent x;']) {
      const agent = new TestAgent(({ argv }) => ({ stdout: `agent ${argv}\n`, exitCode: 1 }));
      const router = shared(agent);
      await router.route(undo);
      await router.route(preparation);
      const { stdout, stderr, exitCode } = await router.route(line);
      const { stdout: after } = await router.route('echo "$? $kept"');
      const { cwd } = sharedRouter();
      const file = join(cwd, 'out');
      const out = existsSync(file) && readFileSync(file, 'utf8');
      const error = stderr.replace(cwd, '');
      observed.push({ stdout, stderr: error, exitCode, after, out });
      rmSync(file, { force: true });
    }
    await shared().route(undo);
    expect(observed[0]).toEqual(observed[1]);
  });

  test('names the list that the exported variables name', async () => {
    const agent = new TestAgent();
    const router = shared(agent);
    const env = async (...lines: string[]) => {
      for (const line of [...lines, 'Agent']) await router.route(line);
      return agent.calls.at(-1)?.env ?? {};
    };
    const TODO_AGENT = 'bob  the\n builder ';
    expect(await env()).toEqual({});
    expect(await env('TODO_TEAM=mine')).toEqual({});
    expect(await env(`export TODO_TEAM TODO_AGENT="${TODO_AGENT}"`)).toEqual({
      TODO_TEAM: 'mine',
      TODO_AGENT,
    });
    const line = 'declare -r TODO_SESSION=one; export TODO_SESSION; declare +x TODO_TEAM';
    expect(await env(line)).toEqual({ TODO_SESSION: 'one', TODO_AGENT });
    expect(await env('unset TODO_AGENT; declare -ax TODO_TASK_LIST=(a b)')).toEqual({
      TODO_SESSION: 'one',
    });
    expect(await env('exit 3')).toEqual({});
  });
});

test('$? after an agent command is its exit code, in the router and in bash', async () => {
  const router = shared(new TestAgent(({ argv }) => ({ exitCode: Number(argv[0]) })));
  for (const line of ['Agent 0', 'Agent 3', 'Agent 255', 'true; Agent 7']) {
    const { exitCode } = await router.route(line);
    expect([line, (await router.route('echo $?')).stdout]).toEqual([line, `${exitCode}\n`]);
    expect((await router.route('echo $?')).stdout).toBe('0\n');
  }
});

test('lines that are given at once run one after the other, in order, agent commands among them', async () => {
  const order: string[] = [];
  const slow: AgentBashHandler = {
    name: 'Slow',
    execute: async ({ argv }) => {
      order.push(`start ${argv[0]}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(`end ${argv[0]}`);
      return { stdout: '', stderr: '', exitCode: 0 };
    },
  };
  const { router } = startWith(slow);
  const lines = ['Slow 0', 'sleep 0.01; echo 1', ':; Slow 2', 'Slow 3', 'echo 4', ':; Slow 5'];
  const results = await Promise.all(lines.map((line) => router.route(line)));
  expect(order).toEqual([0, 2, 3, 5].flatMap((index) => [`start ${index}`, `end ${index}`]));
  expect(results.map(({ stdout }) => stdout)).toEqual(['', '1\n', '', '', '4\n', '']);
});

describe('a command of the host', () => {
  test('that is registered is known at once, in bash from the next line on, and replaces one of its name', async () => {
    const { router } = startWith();
    const unknown = await router.route('Agent x; true | Agent y');
    expect(unknown.stderr).toContain('Agent: command not found');
    expect(router.identifyCommandType('Agent x')).toBe(NATIVE_SHELL_COMMAND);
    for (const greeting of ['hello', 'welcome']) {
      router.register(new TestAgent(({ argv }) => ({ stdout: `${greeting} ${argv}\n` })));
      expect(router.identifyCommandType('Agent x')).toBe(AGENT_SHELL_COMMAND);
      expect((await router.route('Agent x')).stdout).toBe(`${greeting} x\n`);
      expect((await router.route('true && Agent y | cat')).stdout).toBe(`${greeting} y\n`);
    }
  });

  test('gets JSON without quotes, which bash would break, also where bash must run its literal calls', async () => {
    const store = new TodoStore();
    const { router } = startWith(new TodoWriteHandler(store));
    await router.route("trap 'echo debug' DEBUG");
    expect(await router.route(`TodoWrite ${JSON_LIST}`)).toMatchObject({ exitCode: 0 });
    expect(store.get().items).toEqual(ITEMS);
  });

  test('that cannot read raw JSON gets the words of bash', async () => {
    const agent = new TestAgent(({ argv, raw }) => ({ stdout: JSON.stringify({ argv, raw }) }));
    const { router } = startWith(agent);
    expect(router.identifyCommandType('Agent {"a":[1, 2]}')).toBe(NATIVE_SHELL_COMMAND);
    const { stdout } = await router.route('Agent {"a":[1]}');
    expect(JSON.parse(stdout).argv).toEqual(['{a:[1]}']);
  });

  test.each(['', 'a b', '-x', 'ü', 'a\n', 'set'])('cannot have a name that is none: %j', (name) => {
    const handlers = [new TestAgent(() => ({}), name)];
    expect(() => startWith().router.register(handlers[0] as TestAgent)).toThrow(RangeError);
    expect(() => new BashRouter({ handlers })).toThrow(RangeError);
  });
});

describe('a line that bash cannot read and that names an agent command', () => {
  test("gets bash's own error, and then the heredoc form, ready to paste", async () => {
    const store = new TodoStore();
    const { router } = startWith(new TodoWriteHandler(store));
    const { stdout, stderr, exitCode } = await router.route(
      `cd / && TodoWrite '${JSON_LIST.replace("Can't", 'Cannot')}.'`,
    );
    // Bash before 5.0 says 1.
    expect([stdout, exitCode]).toEqual(['', plainEval("'").exitCode]);
    const [error, ...hint] = stderr.split('\n');
    expect(error).toMatch(/^bash: eval: line 1: unexpected EOF while looking for matching/);
    const heredoc = /TodoWrite <<'EOF'\n[\s\S]*\nEOF\n$/.exec(hint.join('\n'))?.[0] ?? '';
    expect(await router.route(heredoc.replace(/\{.*\}/s, JSON_LIST))).toMatchObject({
      stderr: '',
      exitCode: 0,
    });
    expect(store.get().items).toEqual(ITEMS);
  });

  test.each([
    ['an error that is not one of syntax', 'TodoWrite nope; nosuchcommand'],
    ['a syntax error without an agent command', "echo 'open"],
    ['another name', "TodoWriter 'open"],
    ['an error inside eval', 'eval "echo \'open"'],
    [
      'another error beside apostrophes that hold',
      `TodoWrite --add 'it''s' --active-form "$(echo"`,
    ],
    ['a double quote that is open', `TodoWrite --add 'it''s' --active-form "open`],
    ['a line without JSON', 'TodoWrite --add "Fix the "login" page'],
    ['a loop that is not ended', 'for item in 1 2; do [ -n "$CI" ] || TodoWrite --done $item'],
  ])('only such a line gets the hint: not %s', async (_name, line) => {
    const { stderr, exitCode } = await shared().route(line);
    expect(exitCode).not.toBe(0);
    expect(stderr).not.toContain("write ' as");
    expect(stderr).not.toContain('<<');
  });
});

test('a router that is disposed refuses lines, and may be disposed again or unused', async () => {
  const { router } = startWith(new TestAgent());
  await router.dispose();
  await expect(router.route('true')).rejects.toThrow('disposed');
  await expect(router.dispose()).resolves.toBeUndefined();
  await expect(startWith().router.dispose()).resolves.toBeUndefined();
});
