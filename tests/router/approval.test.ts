import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ApprovalRequest, type Approve, allowList, denyList } from '../../src/index.ts';
import { readForApproval } from '../../src/router/certain-line.ts';
import { TestAgent } from '../helpers/agents.ts';
import { eventually } from '../helpers/eventually.ts';
import { startRouter } from '../helpers/session.ts';

/** A router that records its questions. */
function startAsking(answer: Approve = () => 'allow', ...handlers: TestAgent[]) {
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
  const asking = (answer: Awaited<ReturnType<Approve>> = 'deny') => {
    const asked: string[] = [];
    const ask: Approve = ({ line }) => {
      asked.push(line);
      return answer;
    };
    return { ask, asked };
  };
  const request = (line: string): ApprovalRequest => ({
    line,
    ...readForApproval(line),
    cwd: '/',
    signal: new AbortController().signal,
  });

  test('a certain line of allowed commands is not asked about, any other is', async () => {
    const { ask, asked } = asking();
    const approve = allowList(['npm test', ['git', 'status']], ask);
    for (const line of [
      'npm test',
      '  npm   test -- -w ',
      '"npm" \'test\' && git status | npm test',
    ])
      expect(await approve(request(line))).toBe('allow');
    const others = [
      ...['npm', 'npm testing', 'npm run', 'npm te*', 'npm test $FILE', 'npm test; rm -rf x', ''],
      ...[
        'npm test > ~/.bashrc',
        '(npm test)',
        '# npm test',
        'git',
        'git log',
        'npm test <<< text',
      ],
    ];
    for (const line of others) expect(await approve(request(line))).toBe('deny');
    expect(asked).toEqual(others);
  });

  test('a prefix that names such a builtin allows the line that is exactly this prefix', async () => {
    const { ask, asked } = asking();
    const approve = allowList(['export CI=1', ['printf', '-v', 'x', 'a b'], 'cd', 'trap'], ask);
    for (const line of ['export CI=1', " export  'CI=1' ", 'printf -v x "a b"', 'cd', 'trap']) {
      expect(await approve(request(line))).toBe('allow');
    }
    const others = [
      'export CI=1 x=2',
      'export CI=1; ls',
      'export CI=1 >f',
      'trap x EXIT',
      'cd a b',
    ];
    for (const line of others) expect(await approve(request(line))).toBe('deny');
    expect(asked).toEqual(others);
  });

  test('a string is one prefix, not a prefix for each of its letters', async () => {
    const { ask, asked } = asking({ approve: 'allow', remember: 'git log' });
    const approve = allowList('npm test', ask);
    for (const line of ['npm test x', 'n', 'git log -1', 'git log -2'])
      await approve(request(line));
    expect(asked).toEqual(['n']);
  });

  test('an answer to allow is remembered if it says so', async () => {
    const { ask, asked } = asking({ approve: 'allow', remember: ['npm test'] });
    const approve = allowList([], ask);
    await approve(request('npm test'));
    expect(await approve(request('npm test -- x'))).toBe('allow');
    expect(asked.length).toBe(1);
    await approve(request('npm install'));
    expect(asked.length).toBe(2);
  });

  test('the commands of a question may be remembered as they are', async () => {
    let count = 0;
    const approve = allowList([], ({ commands }) => {
      count += 1;
      return { approve: 'allow', remember: commands };
    });
    for (const line of ['a "b c"; d', 'd | a "b c" e', 'a b c']) await approve(request(line));
    expect(count).toBe(2);
  });

  test('a denied command is denied although the rest is allowed, or uncertain', async () => {
    const { ask, asked } = asking();
    const approve = denyList(['git push'], allowList(['git'], ask));
    const denied = { approve: 'deny', reason: "'git push' is on the deny list" };
    expect(await approve(request('git status'))).toBe('allow');
    expect(await approve(request('git status; git push -f'))).toEqual(denied);
    expect(await approve(request('x=$(y)\ngit push'))).toBe('deny');
    for (const line of [
      'git push && x=$(y)',
      'if true; then git push; fi',
      '(cd x && git push) >log',
      'CI=1 git push "$X"',
      'for x in *; do git push; done',
      '<&-git push',
    ])
      expect(await approve(request(line))).toEqual(denied);
    expect(asked).toEqual(['x=$(y)\ngit push']);
  });

  test('an answer to deny is remembered where it says so, by the list for that', async () => {
    const { ask, asked } = asking({ approve: 'deny', reason: 'no', remember: ['rm'] });
    const approve = denyList([], allowList([], ask));
    await approve(request('rm x'));
    expect(await approve(request('rm y'))).toMatchObject({ approve: 'deny' });
    expect(asked).toEqual(['rm x']);
  });

  test('a prefix without a word, which would be every command, is refused', () => {
    expect(() => allowList([' '], () => 'deny')).toThrow(RangeError);
    expect(() => denyList([[]], () => 'deny')).toThrow(RangeError);
  });
});
