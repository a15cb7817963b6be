import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { JsonlClient, type JsonlResult } from '../helpers/agent-shell.ts';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment, executable, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { Random, testSeed } from '../helpers/random.ts';

// Three agents with scripted models in JSONL hosts and one on PATH work through many tasks, and are killed at random.

/** The long form takes minutes on a busy machine, so `npm run test:machines` runs it. */
const isLong = process.env.TEST_MACHINES !== undefined;
const TASKS = isLong ? 200 : 10;
const KILLS = isLong ? 8 : 2;
const AGENTS = ['ann', 'bob', 'cleo'] as const;
const COMMANDS = dirname(executable('todo-read'));

test(`${TASKS} tasks, four agents, killed at random: each task is done once, and nobody is held up by the dead`, async () => {
  const seed = testSeed();
  const random = new Random(seed);
  const cwd = temporaryDirectory();
  const environment = (agent: string) =>
    cleanEnvironment({
      HOME: cwd,
      TODO_STATE_DIR: join(cwd, 'state'),
      TODO_TEAM: 'big',
      TODO_AGENT: agent,
      TODO_LEASE: '3s',
      PATH: `${COMMANDS}:${process.env.PATH}`,
    });
  const lead = (name: string, argv: readonly string[], stdin = '') =>
    callCommand(environment('lead'), name, argv, { cwd, stdin });
  const tasks = Array.from({ length: TASKS }, (_, index) => ({
    subject: `Part ${index + 1}`,
    ref: `r${index}`,
    blockedBy: index > 5 && random.chance(0.4) ? [`r${random.below(index)}`] : [],
    ...(random.chance(0.2) && { owner: random.pick(AGENTS) }),
    ...(random.chance(0.2) && { priority: random.pick(['high', 'low'] as const) }),
  }));
  expect((await lead('TaskCreate', [], JSON.stringify(tasks))).stderr).toBe('');

  const completed = new Map<string, string[]>();
  /** The notices of each agent, in order. */
  const heard = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, ...values: string[]) =>
    map.set(key, [...(map.get(key) ?? []), ...values]);
  let kills = 0;

  /** A scripted model: claim, work, complete; until nothing is left. */
  async function work(agent: string, isOnPath: boolean): Promise<void> {
    const options = { env: environment(agent), cwd };
    const host = isOnPath ? undefined : new JsonlClient(options);
    const call = async (name: string, ...argv: string[]) => {
      const answer: Pick<JsonlResult, 'stdout' | 'stderr' | 'reminders'> = host
        ? await host.send(`${[name, ...argv].join(' ')} | cat`)
        : await startProgram(join(COMMANDS, name), argv, options).ended;
      const lines = [answer.stderr, ...(answer.reminders ?? [])].join('\n').split('\n');
      add(heard, agent, ...lines.filter((line) => /^Note: #\d+ .*: .* by \w+$/.test(line)));
      return answer;
    };
    while (completed.size < TASKS) {
      const { stdout, stderr } = await call('TaskClaim', '--next');
      const claimed = /^Task #(\d+) claimed/.exec(stdout)?.[1];
      // After a restart it is told what it has begun.
      const id = claimed ?? /nothing_ready: .*; you have begun #(\d+)/.exec(stderr)?.[1];
      if (id === undefined) await setTimeout(50);
      if (id === undefined || !(claimed || (await call('TaskClaim', id)).stdout)) continue;
      if (kills < KILLS && random.chance(0.08)) {
        kills++;
        host?.child.kill('SIGKILL');
        await host?.end();
        // If another agent replaces one on PATH, only the lease releases its task.
        return work(isOnPath && random.chance(0.5) ? `${agent}a` : agent, isOnPath);
      }
      const done = await call('TaskUpdate', id, '--status', 'completed');
      if (done.stdout.startsWith(`Updated task #${id}: status`)) add(completed, id, agent);
    }
    await host?.end();
  }
  await Promise.all([...AGENTS.map((agent) => work(agent, false)), work('dora', true)]);

  const { tasks: left } = JSON.parse((await lead('TaskList', ['--json'])).stdout);
  expect(left).toHaveLength(TASKS);
  for (const { id, status, owner } of left) {
    const what = `#${id}, seed ${seed}`;
    expect([status, completed.get(`${id}`)], what).toEqual(['completed', [owner]]);
  }
  for (const [agent, notes] of heard) {
    expect(new Set(notes).size, `${agent}, seed ${seed}`).toBe(notes.length);
  }
}, 300_000);
