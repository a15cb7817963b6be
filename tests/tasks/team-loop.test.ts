import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { JsonlClient, type JsonlResult } from '../helpers/agent-shell.ts';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment, executable, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { Random, testSeed } from '../helpers/random.ts';

// Three agents with scripted models in JSONL hosts and one on PATH work through many tasks, and are killed at random.

/** The long form takes minutes on a busy machine, so `npm run test:machines` runs it. */
const isLong = process.env.TEST_MACHINES !== undefined;
const TASKS = isLong ? 200 : 14;
const KILLS = isLong ? 8 : 2;
const LEASE = '3s';
const AGENTS = ['ann', 'bob', 'cleo'] as const;
const ON_PATH = 'dora';

const COMMANDS = dirname(executable('todo-read'));

class Place {
  readonly folder = temporaryDirectory();

  environment(agent: string) {
    return cleanEnvironment({
      HOME: this.folder,
      TODO_STATE_DIR: join(this.folder, 'state'),
      TODO_TEAM: 'big',
      TODO_AGENT: agent,
      TODO_LEASE: LEASE,
      PATH: `${COMMANDS}:${process.env.PATH}`,
    });
  }

  run(agent: string, name: string, argv: readonly string[], stdin = '') {
    return callCommand(this.environment(agent), name, argv, { cwd: this.folder, stdin });
  }
}

type Answer = Pick<JsonlResult, 'stdout' | 'stderr' | 'exitCode' | 'reminders'>;

/** A host of `agent-shell --jsonl`. */
const startHost = (place: Place, agent: string) =>
  new JsonlClient({ env: place.environment(agent), cwd: place.folder });

/** Undefined if the host was killed. */
const ask = (host: JsonlClient, command: string): Promise<Answer | undefined> =>
  host.send(command).catch(() => undefined);

/** By agent, in order. */
type Heard = Map<string, string[]>;

function hear(heard: Heard, agent: string, { stderr, reminders = [] }: Answer): void {
  const lines = [stderr, ...reminders].join('\n').split('\n');
  const notes = lines.filter((line) => /^Note: #\d+ .*: .* by \w+$/.test(line));
  heard.set(agent, [...(heard.get(agent) ?? []), ...notes]);
}

/** The task that a model continues: just claimed, or begun before a restart. */
function taskIn({ stdout, stderr }: Answer): { id: number; isClaimed: boolean } | undefined {
  const claimed = /^Task #(\d+) claimed/.exec(stdout)?.[1];
  const id = claimed ?? /nothing_ready: .*; you have begun #(\d+)/.exec(stderr)?.[1];
  return id === undefined ? undefined : { id: Number(id), isClaimed: claimed !== undefined };
}

test(`${TASKS} tasks, four agents, killed at random: each task is done once, and nobody is held up by the dead`, async () => {
  const seed = testSeed();
  const random = new Random(seed);
  const place = new Place();
  const heard: Heard = new Map();
  const tasks = Array.from({ length: TASKS }, (_, index) => ({
    subject: `Part ${index + 1}`,
    ref: `r${index}`,
    blockedBy: index > 5 && random.chance(0.4) ? [`r${random.below(index)}`] : [],
    ...(random.chance(0.2) && { owner: random.pick(AGENTS) }),
    ...(random.chance(0.2) && { priority: random.pick(['high', 'low'] as const) }),
  }));
  const created = await place.run('lead', 'TaskCreate', [], JSON.stringify(tasks));
  expect(created.stderr).toBe('');

  const completed = new Map<number, string[]>();
  const isAllDone = () => completed.size === TASKS;
  let kills = 0;

  /** A scripted model: claim, look, work, complete; until nothing is left. */
  async function work(agent: string): Promise<void> {
    while (!(await workIn(startHost(place, agent), agent)));
  }

  async function workIn(host: JsonlClient, agent: string): Promise<boolean> {
    const hearing = async (command: string) => {
      const answer = await ask(host, command);
      if (answer) hear(heard, agent, answer);
      return answer;
    };
    while (!isAllDone()) {
      const claim = await hearing('TaskClaim --next');
      if (claim === undefined) return false;
      const task = taskIn(claim);
      if (task === undefined) {
        await hearing(random.chance(0.5) ? 'sleep 0.05' : 'TaskList --mine | cat');
        continue;
      }
      const { id, isClaimed } = task;
      if (!isClaimed && (await hearing(`TaskClaim ${id}`))?.exitCode !== 0) continue;
      if (kills < KILLS && random.chance(0.08)) {
        kills++;
        host.child.kill('SIGKILL');
        await host.end();
        return false;
      }
      await hearing(`echo working on ${id} > work.txt`);
      const done = await hearing(
        `TaskUpdate ${id} --status completed | cat; exit \${PIPESTATUS[0]}`,
      );
      if (done === undefined) return false;
      if (done.stdout.startsWith(`Updated task #${id}: status`)) note(id, agent);
    }
    await host.end();
    return true;
  }

  async function workOnPath(): Promise<void> {
    let agent = ON_PATH;
    while (!isAllDone()) {
      const claim = await onPath(agent, 'TaskClaim', ['--next']);
      const task = taskIn(claim);
      if (task === undefined) continue;
      const { id, isClaimed } = task;
      if (!isClaimed && (await onPath(agent, 'TaskClaim', [`${id}`])).exitCode !== 0) continue;
      // Its program may die between two commands too. If it comes back under its name, it hears what it has begun; if
      // another agent replaces it, only the lease releases the task.
      if (kills < KILLS && random.chance(0.08)) {
        kills++;
        if (random.chance(0.5)) agent += 'a';
        continue;
      }
      const done = await onPath(agent, 'TaskUpdate', [`${id}`, '--status', 'completed']);
      if (done.stdout.startsWith(`Updated task #${id}: status`)) note(id, agent);
    }
  }

  async function onPath(agent: string, name: string, argv: readonly string[]): Promise<Answer> {
    const options = { env: place.environment(agent), cwd: place.folder };
    const { exitCode, ...said } = await startProgram(join(COMMANDS, name), argv, options).ended;
    const answer = { ...said, exitCode: exitCode ?? 1 };
    hear(heard, agent, answer);
    return answer;
  }

  function note(id: number, agent: string): void {
    completed.set(id, [...(completed.get(id) ?? []), agent]);
  }

  await Promise.all([...AGENTS.map(work), workOnPath()]);

  // Each task was completed once, by its owner.
  expect(
    [...completed.values()].every((agents) => agents.length === 1),
    `seed ${seed}`,
  ).toBe(true);
  const { tasks: left } = JSON.parse((await place.run('lead', 'TaskList', ['--json'])).stdout);
  expect(left).toHaveLength(TASKS);
  for (const task of left) {
    expect([task.status, task.owner], `#${task.id}, seed ${seed}`).toEqual([
      'completed',
      completed.get(task.id)?.[0],
    ]);
  }
  // Each assigned agent that was alive was told once.
  for (const [agent, notes] of heard) {
    expect(new Set(notes).size, `${agent}, seed ${seed}`).toBe(notes.length);
  }
}, 300_000);
