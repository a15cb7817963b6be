import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Approve, TodoProveHandler, TodoStore, TodoWriteHandler } from '../../../src/index.ts';
import { eventually } from '../../helpers/eventually.ts';
import { localeWith } from '../../helpers/locales.ts';
import { hasProc } from '../../helpers/processes.ts';
import { startRouter } from '../../helpers/session.ts';

const ITEM = { content: 'Test', activeForm: 'Testing', status: 'completed', check: './check' };

/** A router with a completed item whose check shows that it ran, and a FIFO that background jobs wait for. */
async function start(env: Record<string, string> = {}) {
  const store = new TodoStore();
  const handlers = [new TodoWriteHandler(store), new TodoProveHandler(store)];
  const { router, cwd, has } = startRouter({ handlers, guide: false, env });
  const file = (name: string) => join(cwd, name);
  writeFileSync(file('check'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
  execFileSync('mkfifo', [file('go')]);
  await router.route(`TodoWrite '${JSON.stringify({ todos: [ITEM] })}'`);
  return {
    ...{ router, cwd },
    hasRun: () => has('ran'),
    letGo: () => writeFile(file('go'), 'now\n'),
    said: async () => {
      await eventually('the command has ended', () => has('ended'));
      return readFileSync(file('said'), 'utf8');
    },
  };
}

const allow: Approve = () => 'allow';
const WAITING = '(read -r _ <go; TodoProve 2>said; touch ended) &';

test.each([
  ['denied', { approve: 'deny', reason: 'not now' }, false, 'it was denied: not now'],
  ['allowed as another line', { approve: 'allow', line: 'true' }, false, 'only another line was'],
  ['allowed', 'allow', true, 'running the check'],
] as const)(
  'a check that is %s runs only if it is allowed as it is',
  async (_, answer, runs, words) => {
    const { router, hasRun } = await start();
    const { stderr, exitCode } = await router.route('TodoProve', { approve: () => answer });
    expect([hasRun(), exitCode]).toEqual([runs, runs ? 0 : 1]);
    expect(stderr).toContain(words);
  },
);

test.each(['cd a\\ b && TodoProve', "(cd 'a b'; TodoProve)"])(
  'a check is asked about with the directory it would run in: %s',
  async (line) => {
    const { router, cwd } = await start();
    mkdirSync(join(cwd, 'a b'));
    const asked: unknown[] = [];
    const approve: Approve = (request) => {
      asked.push([request.line, request.cwd]);
      return 'allow';
    };
    await router.route(line, { approve });
    expect(asked).toEqual([
      [line, cwd],
      ['./check', join(cwd, 'a b')],
    ]);
  },
);

describe('a check that a command runs in the background of a line that has ended', () => {
  test('is refused while another question is open', async () => {
    const { router, hasRun, letGo, said } = await start();
    await router.route(WAITING, { approve: allow });
    let answer: (answer: 'deny') => void = () => {};
    const asked: string[] = [];
    const approve: Approve = ({ line }) => {
      asked.push(line);
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    const next = router.route('true', { approve });
    await eventually('the question is open', () => asked.length === 1);
    await letGo();
    expect(await said()).toContain('nobody can be asked');
    answer('deny');
    await next;
    expect([asked, hasRun()]).toEqual([['true'], false]);
  });

  test('is refused while another line runs, and that line is not asked', async () => {
    const { router, hasRun, said } = await start();
    await router.route(WAITING, { approve: allow });
    const asked: string[] = [];
    const line = 'echo now >go; until [ -e ended ]; do sleep 0.01; done';
    await router.route(line, {
      approve: (request) => {
        asked.push(request.line);
        return 'allow';
      },
    });
    expect(await said()).toContain('nobody can be asked');
    expect([asked, hasRun()]).toEqual([[line], false]);
  });

  test('runs if no line has ever needed approval', async () => {
    const { router, hasRun, letGo, said } = await start();
    await router.route(WAITING);
    await letGo();
    await said();
    expect(hasRun()).toBe(true);
  });
});

test.runIf(hasProc)('each way to call the command asks about its check', async () => {
  const { router } = await start();
  await router.route('sleep 1000 & # Not of the lines that follow.');
  for (const line of [
    'cd . && TodoProve',
    '(true; TodoProve; true)',
    'sh -c "TodoProve; true"',
    'TodoProve | cat',
    'TodoProve & wait $!',
    'x=$(TodoProve); timeout 60 TodoProve',
  ]) {
    const asked: string[] = [];
    await router.route(line, {
      approve: (request) => {
        asked.push(request.line);
        return 'allow';
      },
    });
    expect([...new Set(asked)]).toEqual([line, './check']);
    await router.route(
      `TodoWrite '${JSON.stringify({ todos: [{ ...ITEM, status: 'pending' }] })}'`,
    );
    await router.route(`TodoWrite '${JSON.stringify({ todos: [ITEM] })}'`);
  }
});

test('a directory and a variable whose characters end with the byte of a backslash run nothing', async () => {
  const { router, hasRun } = await start(localeWith('GBK'));
  // Without localedef there is no such locale.
  const character = String.raw`$'\x95\x5c'`;
  const line = `d=${character}';touch'; mkdir "$d" && cd "$d" && ln -s ../check && export V=${character}'";touch;#'`;
  expect((await router.route(line)).exitCode).toBe(0);
  const { stderr, exitCode } = await router.route('TodoProve && true');
  expect([stderr, exitCode]).toEqual(['Note: running the check: ./check\n', 0]);
  expect((await router.route('ls')).stdout).toBe('check\nran\n');
  expect(hasRun()).toBe(false);
});

test('a check is asked about as the text that bash gets, even if that text would be read as one JSON argument in a line', async () => {
  const { router, hasRun } = await start();
  for (const check of [
    `TodoWrite '["Don'; touch ran; : '"]'`,
    `TaskUpdate '{"a":"Don'; touch ran; : '"}'`,
    `TodoWrite {"todos":[]};touch ran`,
    `TodoWrite --add A --active-form B`,
    'TodoRead',
  ]) {
    await router.route('TodoWrite', { stdin: JSON.stringify({ todos: [{ ...ITEM, check }] }) });
    const asked: [string, boolean][] = [];
    await router.route('TodoProve', {
      approve: ({ line, isCertain }) => {
        asked.push([line, isCertain]);
        return 'deny';
      },
    });
    expect(asked).toEqual([[check, !check.includes('touch')]]);
    expect(hasRun()).toBe(false);
  }
});
