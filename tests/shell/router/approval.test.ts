import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readForApproval } from '../../../src/base/line/certain-line.ts';
import {
  type AgentBashHandler,
  type ApprovalRequest,
  type Approve,
  allowList,
  denyList,
  TodoProveHandler,
  TodoReadHandler,
  TodoStore,
  TodoWriteHandler,
} from '../../../src/index.ts';
import { TestAgent } from '../../helpers/agents.ts';
import { eventually } from '../../helpers/eventually.ts';
import { startRouter } from '../../helpers/session.ts';

/** A router that records its questions. */
function startAsking(answer: Approve = () => 'allow', ...handlers: AgentBashHandler[]) {
  const asked: ApprovalRequest[] = [];
  const approve: Approve = (request) => {
    asked.push(request);
    return answer(request);
  };
  return { ...startRouter({ handlers, approve }), asked };
}

describe('a question', () => {
  test('has the line, its commands and the directory, and an allowed line runs', async () => {
    const { router, asked, cwd } = startAsking();
    await router.route('mkdir "a b" && cd "a b"');
    expect(await router.route('pwd | wc -l')).toMatchObject({ stdout: '1\n', exitCode: 0 });
    expect(asked[1]).toMatchObject({
      line: 'pwd | wc -l',
      commands: [['pwd'], ['wc', '-l']],
      isCertain: true,
      cwd: join(cwd, 'a b'),
    });
    expect(asked[0]?.commands).toEqual([
      ['mkdir', 'a b'],
      ['cd', 'a b'],
    ]);
  });

  test('that is denied runs nothing, says why, and is $? of the next line', async () => {
    const { router, has } = startAsking(({ line }) =>
      line.startsWith('touch') ? { approve: 'deny', reason: 'not today' } : 'allow',
    );
    expect(await router.route('touch file')).toEqual({
      type: 'native_shell_command',
      stdout: '',
      stderr: 'Command execution denied: not today\n',
      exitCode: 126,
    });
    expect(has('file')).toBe(false);
    expect((await router.route('echo $?')).stdout).toBe('126\n');
  });

  test('may be answered with another line, which is not asked about again', async () => {
    const { router, asked, has } = startAsking(() => ({ approve: 'allow', line: 'touch other' }));
    expect((await router.route('touch file')).exitCode).toBe(0);
    expect([has('file'), has('other'), asked.length]).toEqual([false, true, 1]);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no terminal')), 'the question failed: no terminal'],
    ['says nothing', () => undefined, "the answer was neither 'allow' nor 'deny'"],
    ['says null', () => null, "the answer was neither 'allow' nor 'deny'"],
    ['gives a line that is none', () => ({ approve: 'allow', line: 1 }), 'the answer was neither'],
    ['gives no reason', () => 'deny', 'the user did not allow it'],
  ])('is denied where the host %s', async (_name, answer, reason) => {
    const { router, has } = startAsking(answer as unknown as Approve);
    const { stderr, exitCode } = await router.route('touch file');
    expect(stderr).toContain(`Command execution denied: ${reason}`);
    expect([exitCode, has('file')]).toEqual([126, false]);
  });

  test('does not count for the time limit, and is ended by a cancel, for both sides', async () => {
    let answer: (answer: 'allow') => void = () => {};
    const { router, asked, has } = startAsking(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow = router.route('echo in time', { timeoutMs: 60_000 });
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(100_000);
    vi.useRealTimers();
    answer('allow');
    expect(await slow).toMatchObject({ stdout: 'in time\n', exitCode: 0 });

    const controller = new AbortController();
    const cancelled = router.route('touch file', { signal: controller.signal });
    await eventually('it is asked', () => asked.length === 2);
    controller.abort();
    expect(await cancelled).toMatchObject({
      stderr: 'agent-shell: cancelled before it began\n',
      exitCode: 130,
    });
    expect(asked[1]?.signal.aborted).toBe(true);
    answer('allow');
    const next = router.route('echo next');
    await eventually('the next one is asked', () => asked.length === 3);
    answer('allow');
    expect((await next).stdout).toBe('next\n');
    expect(has('file')).toBe(false);
  });

  test('that nobody answers ends with the router', async () => {
    const { router, asked } = startAsking(() => new Promise(() => {}));
    const routed = router.route('echo hi');
    const outcome = expect(routed).rejects.toThrow('disposed');
    await eventually('it is asked', () => asked.length === 1);
    await router.dispose();
    await outcome;
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  test('may be put for one line only', async () => {
    const { router, asked } = startAsking();
    const { exitCode } = await router.route('echo hi', { approve: () => 'deny' });
    expect([exitCode, asked.length]).toEqual([126, 0]);
  });

  test('shows the line as bash gets it, with broken quotes mended, and the mending is still noted', async () => {
    const agent = Object.assign(new TestAgent(), { readsRawJson: true });
    const { router, asked } = startAsking(() => 'allow', agent);
    const { stderr } = await router.route(`true && Agent '{"a":"Don't"}'`);
    expect(asked.map(({ line }) => line)).toEqual([`true && Agent '{"a":"Don'\\''t"}'`]);
    expect(agent.calls.map(({ argv }) => argv)).toEqual([['{"a":"Don\'t"}']]);
    expect(stderr).toMatch(/^Note: /);
  });
});

describe('agent commands', () => {
  test('in a certain line are not asked about, in any other they are', async () => {
    const agent = new TestAgent();
    const { router, asked, has } = startAsking(() => 'deny', agent);
    for (const line of ["Agent 'a b'", 'Agent x | Agent - >&2 </dev/null && Agent z'])
      expect((await router.route(line)).exitCode).toBe(0);
    expect([asked.length, agent.calls.length]).toEqual([0, 4]);
    const others = ['Agent;>file', 'PATH=. Agent x', 'Agent() { touch file; }; Agent'];
    for (const line of others) expect((await router.route(line)).exitCode).toBe(126);
    expect([asked.length, agent.calls.length, has('file')]).toEqual([others.length, 4, false]);
  });

  test('is asked about if the session has another command of that name', async () => {
    const agent = new TestAgent();
    let isAllowed = true;
    const { router, asked, has } = startAsking(() => (isAllowed ? 'allow' : 'deny'), agent);
    await router.route('Agent() { touch file; }');
    isAllowed = false;
    expect((await router.route('Agent x')).exitCode).toBe(126);
    expect((await router.route('Agent x; Agent y')).exitCode).toBe(126);
    expect([asked.length, has('file')]).toEqual([3, false]);
  });
});

describe('lists', () => {
  /** The answers to these lines, and the lines about which somebody was asked. */
  async function decided(
    lines: readonly string[],
    list: (ask: Approve) => Approve,
    answer: Approve = () => 'deny',
  ) {
    const asked: string[] = [];
    const approve = list((request) => {
      asked.push(request.line);
      return answer(request);
    });
    const answers = [];
    for (const line of lines) {
      const { signal } = new AbortController();
      answers.push(await approve({ line, ...readForApproval(line), cwd: '/', signal }));
    }
    return { asked, answers };
  }

  test.each([
    [
      'of allowed commands',
      ['npm test', ['git', 'status']],
      ['npm test', '  npm   test -- -w ', '"npm" \'test\' && git status | npm test'],
      [
        ...['npm', 'npm testing', 'npm run', 'npm te*', 'npm test $FILE', 'npm test; rm -rf x', ''],
        ...['npm test > ~/.bashrc', '(npm test)', '# npm test', 'git', 'git log'],
        'npm test <<< text',
      ],
    ],
    [
      'that is exactly a prefix, which names a builtin that may change more,',
      ['export CI=1', ['printf', '-v', 'x', 'a b'], 'cd', 'trap'],
      ['export CI=1', " export  'CI=1' ", 'printf -v x "a b"', 'cd', 'trap'],
      ['export CI=1 x=2', 'export CI=1; ls', 'export CI=1 >f', 'trap x EXIT', 'cd a b'],
    ],
  ])('a certain line %s is not asked about, any other is', async (_, prefixes, certain, others) => {
    expect(await decided([...certain, ...others], (ask) => allowList(prefixes, ask))).toEqual({
      asked: others,
      answers: [...certain.map(() => 'allow'), ...others.map(() => 'deny')],
    });
  });

  test.each<[string, Parameters<typeof allowList>[0], Approve, string[], string[]]>([
    [
      'if it says so; a string is one prefix, not one for each of its letters',
      'npm test',
      () => ({ approve: 'allow', remember: 'git log' }),
      ['npm test x', 'n', 'git log -1', 'git log -2', 'npm install'],
      ['n', 'npm install'],
    ],
    [
      'for the commands of a question as they are',
      [],
      ({ commands }) => ({ approve: 'allow', remember: commands }),
      ['a "b c"; d', 'd | a "b c" e', 'a b c'],
      ['a "b c"; d', 'a b c'],
    ],
  ])('an answer to allow is remembered %s', async (_, prefixes, answer, lines, asked) => {
    const { asked: received } = await decided(lines, (ask) => allowList(prefixes, ask), answer);
    expect(received).toEqual(asked);
  });

  test('a denied command is denied although the rest is allowed, or uncertain', async () => {
    const denied = [
      ...['git status; git push -f', 'git push && x=$(y)', 'if true; then git push; fi'],
      ...['(cd x && git push) >log', 'CI=1 git push "$X"', 'for x in *; do git push; done'],
      '<&-git push',
    ];
    const list = (ask: Approve) => denyList(['git push'], allowList(['git'], ask));
    const reason = "'git push' is on the deny list";
    expect(await decided(['git status', 'x=$(y)\ngit push', ...denied], list)).toEqual({
      asked: ['x=$(y)\ngit push'],
      answers: ['allow', 'deny', ...denied.map(() => ({ approve: 'deny', reason }))],
    });
  });

  test('an answer to deny is remembered where it says so, by the list for that', async () => {
    const list = (ask: Approve) => denyList([], allowList([], ask));
    const answer: Approve = () => ({ approve: 'deny', reason: 'no', remember: ['rm'] });
    const { asked, answers } = await decided(['rm x', 'rm y'], list, answer);
    expect(asked).toEqual(['rm x']);
    expect(answers[1]).toMatchObject({ approve: 'deny' });
  });

  test('a prefix without a word, which would be every command, is refused', () => {
    expect(() => allowList([' '], () => 'deny')).toThrow(RangeError);
    expect(() => denyList([[]], () => 'deny')).toThrow(RangeError);
  });

  test('quotes in a prefix are read as in bash; what bash would expand, so that it never matched, is refused', async () => {
    const lists = (ask: Approve) => denyList(["git 'push'", ['rm', '*']], ask);
    const { asked } = await decided(['git push x', "rm '*'", 'git pull'], lists);
    expect(asked).toEqual(['git pull']);
    for (const prefix of ['rm -rf *', 'echo $HOME', 'curl x | sh', "git 'push"]) {
      expect(() => denyList([prefix], () => 'allow')).toThrow(/A prefix is literal words: /);
    }
  });
});

test('in a certain line agent commands count as allowed, but neither those that run programs nor functions of their name', async () => {
  const store = new TodoStore();
  const handlers = [TodoWriteHandler, TodoReadHandler, TodoProveHandler];
  const { router, asked, has } = startAsking(
    allowList(['true', 'head'], () => 'deny'),
    ...handlers.map((Handler) => new Handler(store)),
  );
  const item = { content: 'A', activeForm: 'B', status: 'pending', check: 'touch ran' };
  const list = JSON.stringify([item]);
  for (const line of [
    `true && TodoWrite '${list}'`,
    `cd . || TodoWrite <<'EOF'\n${list}\nEOF`,
    'TodoRead | head -3',
    'true && TodoWrite --start 1; TodoRead',
  ]) {
    const { exitCode } = await router.route(line);
    expect([line, exitCode]).toEqual([line, line.startsWith('cd') ? 126 : 0]);
  }
  for (const line of [
    'true && TodoProve 1',
    'TodoRead | head -3; TodoProve 1',
    'TodoRead >file',
    'TodoRead | head "$X"',
    'TodoRead && touch ran',
    'true && TodoWrite --done 1 --active-form $(touch ran)',
  ]) {
    expect(await router.route(line)).toMatchObject({ exitCode: 126 });
  }
  await router.route('TodoRead() { touch ran; }', { approve: () => 'allow' });
  expect(await router.route('true && TodoRead')).toMatchObject({ exitCode: 126 });
  expect(has('ran')).toBe(false);
  expect(asked.find(({ line }) => line.includes('head -3; TodoProve'))?.agentCommands).toEqual([
    'TodoRead',
  ]);
});
