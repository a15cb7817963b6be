import { expect, test } from 'vitest';
import { MemoryPlace } from '../../src/lists/place.ts';
import { releaseAll, releaseTasks } from '../../src/tasks/claims.ts';
import type { LeaseClock } from '../../src/tasks/lease.ts';
import type { TaskGraph, TaskLease } from '../../src/tasks/task.ts';
import { TaskStore } from '../../src/tasks/task-store.ts';
import { failed, ok } from '../helpers/replies.ts';
import { claimed, codes, completed, done, graphOf, LATER } from './tasks.ts';
import { Team } from './team.ts';

// An assigned agent hears of it, a dead one keeps nothing, a leader sees all.

/** A clock that stands still until told to advance. */
class HandClock implements LeaseClock {
  readonly id: string;
  time = 1000;
  readonly #seen = new Map<string, number>();

  constructor(id = 'here') {
    this.id = id;
  }

  readonly now = () => this.time;
  readonly wall = this.now;

  readonly seenFor = (taskId: number, { beat }: TaskLease) => {
    const key = `${taskId} ${beat}`;
    if (!this.#seen.has(key)) this.#seen.set(key, this.time);
    return this.time - (this.#seen.get(key) as number);
  };
}

const MINUTE = 60_000;

test('a change makes one version, in which its agent has also heard its news and its leases are renewed', async () => {
  const clock = new HandClock();
  const team = await Team.of('ABC', { clock });
  const store = team.stores.get('') as TaskStore;
  await team.run('TaskClaim 1 --agent bob --lease 30m', 'TaskUpdate 2 --owner bob --agent ann');
  clock.time += 5 * MINUTE;
  const { version } = await store.read();
  const { stderr } = await team.run('TaskClaim 2 --agent bob --lease off');
  expect(stderr).toBe('Note: #2 "B": assigned to you by ann\n');
  const { version: claimed, graph } = await store.read();
  expect(claimed).toBe(version + 1);
  expect(graph.tasks.get(1)?.lease?.beat).toBe(2);
  // What is refused is still heard, once.
  await team.run('TaskUpdate 3 --owner bob --agent ann');
  const refused = await team.run('TaskClaim 9 --agent bob');
  expect(refused.stderr).toContain('Note: #3 "C": assigned to you by ann\n');
  expect(await team.out('TaskInbox --agent bob')).toBe('Nothing new.\n');
});

test("a lease that has expired: the task is anyone's, and its old owner is told before and after", async () => {
  const clock = new HandClock();
  const team = await Team.of('A', { clock, settings: { guidance: 'off' } });
  expect(await team.run('TaskClaim 1 --agent ann --lease 30m')).toEqual(
    ok('Task #1 claimed by ann: A\n', 'Note: the lease is 30m; your commands renew it\n'),
  );
  clock.time += 29 * MINUTE;
  expect(await team.err('TaskClaim 1 --agent bob')).toContain('already_claimed');
  clock.time += 2 * MINUTE;
  expect(await team.out('TaskList --ready --agent bob')).toBe(
    '#1 [in_progress] A (ann) [lease expired]\n',
  );
  expect(await team.out('TaskList --at 2')).toBe('#1 [in_progress] A (ann)\n');
  expect(await team.err('TaskClaim --check 1 --agent bob')).toContain(
    '- not_yours: #1 is in_progress and belongs to ann, whose lease expired: TaskClaim 1\n',
  );
  const taken = await team.run('TaskClaim --next --agent bob');
  expect(taken.stdout).toBe('Task #1 claimed by bob: A\n');
  expect(taken.stderr).toMatch(/^Note: #1 was ann's since \S+Z; that lease expired\n/);
  const lost = '- lease_lost: your lease of #1 expired, and bob has it\n';
  expect(await team.err('TaskClaim --check 1 --agent ann')).toBe(
    `Error: Task #1 is not yours\n${lost}`,
  );
  expect(await team.err('TaskUpdate 1 --status completed --agent ann')).toBe(
    `Error: Cannot update task #1\n${lost}`,
  );
  expect(await team.out('TaskClaim --check 1 --agent bob')).toBe('Task #1 is yours: A\n');
  expect((await team.run('TaskUpdate 1 --status completed --agent bob')).exitCode).toBe(0);
});

test('an owner whose lease expired keeps the task until another takes it, and is told so', async () => {
  const clock = new HandClock();
  const team = new Team({ clock, settings: { guidance: 'off' } });
  await team.run('TaskCreate --subject A', 'TaskClaim 1 --agent ann --lease 30m');
  clock.time += 31 * MINUTE;
  const check = async () => await team.out('TaskClaim --check 1 --agent ann');
  expect(await check()).toBe(
    'Task #1 is yours: A; its lease had expired, nobody has taken it, and it is renewed\n',
  );
  expect(await check()).toBe('Task #1 is yours: A; 30m of the lease left\n');
  expect(await team.run('TaskClaim --check --next --agent ann')).toEqual(
    failed(expect.stringContaining('--check needs the id of a task'), 2),
  );
});

test('the list that an owner reads says nothing of its own expired lease, which that command renews', async () => {
  const clock = new HandClock();
  const team = await Team.of('A', { clock, settings: { guidance: 'off' } });
  await team.run('TaskClaim 1 --agent ann --lease 30m');
  clock.time += 31 * MINUTE;
  expect(await team.out('TaskList --agent ann')).toBe('#1 [in_progress] A (ann)\n');
  expect(await team.out('TaskList --agent bob')).toBe('#1 [in_progress] A (ann)\n');
});

test('every command of the owner renews its leases, at most once a minute', async () => {
  const clock = new HandClock();
  const team = new Team({ clock, settings: { guidance: 'off', leaseMs: 30 * MINUTE } });
  await team.run('TaskCreate --subject A', 'TaskCreate --subject B', 'TaskClaim 1 --agent ann');
  const versionOf = () => team.stores.get('')?.get().version;
  const before = versionOf();
  await team.run('TaskList --agent ann', 'TaskGet 1 --agent ann');
  expect(versionOf()).toBe(before);
  for (let minutes = 0; minutes < 60; minutes += 5) {
    clock.time += 5 * MINUTE;
    await team.run('TaskList --agent ann', 'TaskList --agent ann', 'TaskList --agent bob');
  }
  expect(versionOf()).toBe((before ?? 0) + 12);
  await team.run('TaskUpdate 1 --comment Half');
  expect(await team.out('TaskClaim --check 1 --agent ann')).toBe(
    'Task #1 is yours: A; 30m of the lease left\n',
  );
  expect((await team.run('TaskClaim 1 --agent bob')).exitCode).toBe(1);
});

test('the clocks of two machines are not compared: a lease runs from when its renewal was seen', async () => {
  const [there, here] = [new HandClock('there'), new HandClock('here')];
  there.time = 1e12;
  const ann = new Team({ settings: { guidance: 'off' } });
  const bob = new Team({ settings: { guidance: 'off' } });
  const list = new MemoryPlace<TaskGraph>();
  ann.stores.set('', new TaskStore(list, undefined, there));
  bob.stores.set('', new TaskStore(list, undefined, here));
  await ann.run('TaskCreate --subject A', 'TaskClaim 1 --agent ann --lease 10m');
  const claim = () => bob.run('TaskClaim 1 --agent bob');
  expect((await claim()).exitCode).toBe(1);
  here.time += 9 * MINUTE;
  expect((await claim()).exitCode).toBe(1);
  there.time += 9 * MINUTE;
  await ann.run('TaskList --agent ann');
  here.time += 2 * MINUTE;
  expect((await claim()).exitCode).toBe(1);
  here.time += 10 * MINUTE;
  expect((await claim()).exitCode).toBe(0);
});

test('TaskRelease --expired releases the tasks of dead agents, which can no longer complete them', async () => {
  const clock = new HandClock();
  const team = await Team.of('AB', { clock, settings: { guidance: 'off' } });
  await team.run('TaskClaim 1 --agent ann --lease 10m', 'TaskClaim 2 --agent bob');
  expect(await team.out('TaskRelease --expired')).toBe('No tasks to release.\n');
  clock.time += 11 * MINUTE;
  expect(await team.out('TaskRelease --expired')).toBe('Released: #1\n');
  expect(await team.err('TaskUpdate 1 --status completed --agent ann')).toContain(
    'lease_lost: your lease of #1 expired, and it was released; to take it again: TaskClaim 1',
  );
  // Claiming it again restores the claim.
  expect((await team.run('TaskClaim 1 --agent ann')).exitCode).toBe(0);
  expect((await team.run('TaskUpdate 1 --status completed --agent ann')).exitCode).toBe(0);
  expect((await team.run('TaskRelease --expired 2')).exitCode).toBe(2);
});

test('released tasks are pending and unowned, all or none', () => {
  const begun = claimed(completed(graphOf('One', 'Two', 'Three', 'Four'), 1), 2, 'a');
  const graph = claimed(begun, 3, 'b');
  const { graph: after, released } = done(releaseTasks(graph, [4, 3, 2, 2], undefined, LATER));
  expect(released.map(({ id }) => id)).toEqual([2, 3]);
  const [, ...others] = [...after.tasks.values()].map(({ status, owner }) => `${status} ${owner}`);
  expect(new Set(others)).toEqual(new Set(['pending undefined']));
  expect(codes(releaseTasks(graph, [1, 2, 9], undefined, LATER))).toBe(
    'already_resolved, task_not_found',
  );
  expect(codes(releaseTasks(graph, [2, 3], 'a', LATER))).toBe('already_claimed');
  const gone = releaseAll(graph, 'b', LATER);
  expect(gone.released.map(({ id }) => id)).toEqual([3]);
  expect(releaseAll(graph, 'nobody', LATER).graph).toBe(graph);
});
