import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { cleanEnvironment, executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { Random, testSeed } from '../helpers/random.ts';

// Three agents with a scripted model each in JSONL hosts and one on PATH work through many tasks, and are killed at random.

/** The long form takes minutes on a busy machine, so `npm run test:machines` runs it. */
const isLong = process.env.TEST_MACHINES !== undefined;
const TASKS = isLong ? 200 : 24;
const KILLS = isLong ? 8 : 3;
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

  run(agent: string, name: string, argv: readonly string[], input = '') {
    const options = { env: this.environment(agent), cwd: this.folder, input };
    return spawnSync(join(COMMANDS, name), argv, { ...options, encoding: 'utf8' });
  }
}

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly reminders?: readonly string[];
}

/** A JSONL host, as a harness in another language runs it. */
class Host {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;
  isKilled = false;

  constructor(place: Place, agent: string) {
    const options = { env: place.environment(agent), cwd: place.folder };
    this.#child = spawn(executable('agent-shell'), ['--jsonl'], options);
    this.#ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[
      Symbol.asyncIterator
    ]();
    this.#child.stdin?.on('error', () => {});
  }

  /** Undefined if the host was killed. */
  async ask(command: string): Promise<Answer | undefined> {
    this.#child.stdin?.write(`${JSON.stringify({ id: 1, command })}\n`);
    const { value, done } = await this.#lines.next();
    return done ? undefined : JSON.parse(value);
  }

  async kill(): Promise<void> {
    this.isKilled = true;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}

/** What each agent was told, in its order. */
type Heard = Map<string, string[]>;

function hear(heard: Heard, agent: string, { stderr, reminders = [] }: Answer): void {
  const lines = [stderr, ...reminders].join('\n').split('\n');
  const notes = lines.filter((line) => /^Note: #\d+ .*: .* by \w+$/.test(line));
  heard.set(agent, [...(heard.get(agent) ?? []), ...notes]);
}

/** The task that a model goes on with: claimed just now, or begun before it was started again. */
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
  const created = place.run('lead', 'TaskCreate', [], JSON.stringify(tasks));
  expect(created.stderr).toBe('');

  const completed = new Map<number, string[]>();
  const isAllDone = () => completed.size === TASKS;
  let kills = 0;

  /** What a model does, told by a script: claim, look, work, complete; and again until nothing is left. */
  async function work(agent: string): Promise<void> {
    for (let host = new Host(place, agent); ; host = new Host(place, agent)) {
      onTestFinished(() => host.kill());
      const isOver = await workIn(host, agent);
      if (isOver) return;
    }
  }

  async function workIn(host: Host, agent: string): Promise<boolean> {
    const ask = async (command: string) => {
      const answer = await host.ask(command);
      if (answer) hear(heard, agent, answer);
      return answer;
    };
    while (!isAllDone()) {
      const claim = await ask('TaskClaim --next');
      if (claim === undefined) return false;
      const task = taskIn(claim);
      if (task === undefined) {
        await ask(random.chance(0.5) ? 'sleep 0.05' : 'TaskList --mine | cat');
        continue;
      }
      const { id, isClaimed } = task;
      if (!isClaimed && (await ask(`TaskClaim ${id}`))?.exitCode !== 0) continue;
      if (kills < KILLS && random.chance(0.08)) {
        kills++;
        await host.kill();
        return false;
      }
      await ask(`echo working on ${id} > work.txt`);
      const done = await ask(`TaskUpdate ${id} --status completed | cat; exit \${PIPESTATUS[0]}`);
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
      // Its program may die between two commands too. One that comes back under its name is told what it has begun; where
      // another comes in its place, only the lease gives the task back.
      if (kills < KILLS && random.chance(0.08)) {
        kills++;
        if (random.chance(0.5)) agent += 'a';
        continue;
      }
      const done = await onPath(agent, 'TaskUpdate', [`${id}`, '--status', 'completed']);
      if (done.stdout.startsWith(`Updated task #${id}: status`)) note(id, agent);
    }
  }

  function onPath(agent: string, name: string, argv: readonly string[]): Promise<Answer> {
    const child = spawn(join(COMMANDS, name), argv, {
      env: place.environment(agent),
      cwd: place.folder,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    return new Promise((resolve) =>
      child.once('close', (exitCode) => {
        const answer = { stdout, stderr, exitCode: exitCode ?? 1 };
        hear(heard, agent, answer);
        resolve(answer);
      }),
    );
  }

  function note(id: number, agent: string): void {
    completed.set(id, [...(completed.get(id) ?? []), agent]);
  }

  await Promise.all([...AGENTS.map(work), workOnPath()]);

  // Each task was completed once, by whom the list says.
  expect(
    [...completed.values()].every((agents) => agents.length === 1),
    `seed ${seed}`,
  ).toBe(true);
  const { tasks: left } = JSON.parse(place.run('lead', 'TaskList', ['--json']).stdout);
  expect(left).toHaveLength(TASKS);
  for (const task of left) {
    expect([task.status, task.owner], `#${task.id}, seed ${seed}`).toEqual([
      'completed',
      completed.get(task.id)?.[0],
    ]);
  }
  // Who was assigned a task, and was there to be told, was told once.
  for (const [agent, notes] of heard) {
    expect(new Set(notes).size, `${agent}, seed ${seed}`).toBe(notes.length);
  }
}, 300_000);

test('the inbox of a leader who only looks at the end has everything that happened, once', async () => {
  const place = new Place();
  const tasks = Array.from({ length: 20 }, (_, index) => ({ subject: `Part ${index + 1}` }));
  place.run('lead', 'TaskCreate', [], JSON.stringify(tasks));
  const work = async (agent: string) => {
    const host = new Host(place, agent);
    onTestFinished(() => host.kill());
    for (;;) {
      const claim = await host.ask('TaskClaim --next');
      const id = /^Task #(\d+) claimed/.exec(claim?.stdout ?? '')?.[1];
      if (!id) break;
      await host.ask(`TaskUpdate ${id} --status completed`);
    }
    await host.end();
  };
  await Promise.all(AGENTS.map(work));
  const { notices } = JSON.parse(place.run('lead', 'TaskInbox', ['--json']).stdout);
  const told = notices.map(
    ({ taskId, kind }: { taskId: number; kind: string }) => `${taskId} ${kind}`,
  );
  const expected = tasks.flatMap((_, index) => [`${index + 1} claimed`, `${index + 1} completed`]);
  expect(told.sort()).toEqual(expected.sort());
  expect(place.run('lead', 'TaskInbox', []).stdout).toBe('Nothing new.\n');
}, 120_000);
