import { expect, test } from 'vitest';
import { MemoryPlace } from '../../src/lists/place.ts';
import type { LeaseClock } from '../../src/tasks/lease.ts';
import type { TaskGraph, TaskLease } from '../../src/tasks/task.ts';
import { TaskStore } from '../../src/tasks/task-store.ts';
import { failed, ok } from '../helpers/replies.ts';
import { Team } from './team.ts';

// An assigned agent hears of it, a dead one keeps nothing, a leader sees all.

const firstLine = ({ stdout, stderr }: { stdout: string; stderr: string }) =>
  (stdout || stderr).split('\n')[0];

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

test("one's own tasks come before free ones, and these by priority, then by id", async () => {
  const team = new Team({ settings: { guidance: 'off' } });
  await team.run(
    'TaskCreate --subject Free',
    'TaskCreate --subject Low --priority low',
    'TaskCreate --subject Mine --owner bob',
    'TaskCreate --subject Anns --owner ann',
    'TaskCreate --subject High --priority high',
    'TaskCreate --subject Blocked --owner bob --blocked-by 1',
  );
  const { stdout } = await team.run('TaskList --ready --agent bob');
  expect(stdout.match(/#\d/g)).toEqual(['#3', '#5', '#1', '#2']);
  const claims = [];
  for (let count = 0; count < 5; count++) {
    claims.push(firstLine(await team.run('TaskClaim --next --agent bob')));
  }
  expect(claims).toEqual([
    'Task #3 claimed by bob: Mine',
    'Task #5 claimed by bob: High',
    'Task #1 claimed by bob: Free',
    'Task #2 claimed by bob: Low',
    'Error: Cannot claim a task',
  ]);
  expect(await team.out('TaskList --mine --agent ann')).toBe('#4 [pending] Anns (ann)\n');
});

test('with one task at a time, every unfinished task of an agent counts', async () => {
  const team = new Team({ settings: { guidance: 'off', oneTaskPerAgent: true } });
  await team.run('TaskCreate --subject A --owner bob', 'TaskCreate --subject B');
  expect(await team.err('TaskClaim 2 --agent bob')).toBe(
    'Error: Cannot claim task #2\n- agent_busy: bob has yet to begin #1\n',
  );
  await team.run('TaskClaim 1 --agent bob');
  expect(await team.err('TaskClaim 2 --agent bob')).toContain('bob is working on #1');
  await team.run('TaskUpdate 1 --status completed --agent bob');
  expect((await team.run('TaskClaim 2 --agent bob')).exitCode).toBe(0);
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
    'lease_lost: your lease of #1 expired, and it was released',
  );
  // Claiming it again restores the claim.
  expect((await team.run('TaskClaim 1 --agent ann')).exitCode).toBe(0);
  expect((await team.run('TaskUpdate 1 --status completed --agent ann')).exitCode).toBe(0);
  expect((await team.run('TaskRelease --expired 2')).exitCode).toBe(2);
});

test.each(['30', '0m', '-5m', '1.5h', '400d', ''])('a lease of %j is no lease', async (lease) => {
  const team = new Team();
  await team.run('TaskCreate --subject A');
  const result = await team.call('TaskClaim', ['1', '--agent', 'a', '--lease', lease]);
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toMatch(/^Error: --lease needs a (time such as 90s, 30m or 8h|value)/);
  expect((await team.run('TaskClaim 1 --agent a --lease off')).exitCode).toBe(0);
});

/** The notes of an agent's next command. */
async function heard(team: Team, agent: string): Promise<string> {
  return await team.err(`TaskList --status completed --agent ${agent}`);
}

test('each agent gets each of its notices once', async () => {
  const team = new Team();
  await team.run('TaskCreate --subject A --agent lead', 'TaskCreate --subject B --agent lead');
  await team.run('TaskUpdate 1 --owner bob --agent lead');
  expect(await heard(team, 'bob')).toBe('Note: #1 "A": assigned to you by lead\n');
  expect(await heard(team, 'bob')).toBe('');
  await team.run('TaskClaim 1 --agent bob', 'TaskUpdate 1 --status completed --agent bob');
  expect(await heard(team, 'lead')).toBe(
    'Note: #1 "A": claimed by bob\nNote: #1 "A": completed by bob\n',
  );
  await team.run('TaskUpdate 1 --status pending --agent ann');
  expect(await heard(team, 'bob')).toBe('Note: #1 "A": yours: reopened by ann\n');
  await team.run('TaskUpdate 1 --add-blocked-by 2 --agent lead', 'TaskClaim 2 --agent ann');
  await team.run('TaskUpdate 2 --status completed --agent ann');
  expect(await heard(team, 'bob')).toBe('Note: #1 "A": yours: unblocked by ann\n');
  await team.run('TaskUpdate 1 --owner ann --force --agent lead');
  expect(await heard(team, 'bob')).toBe('Note: #1 "A": given to another agent by lead\n');
  expect(await heard(team, 'ann')).toBe('Note: #1 "A": assigned to you by lead\n');
  await team.run('TaskUpdate 1 --status deleted --agent lead');
  expect(await heard(team, 'ann')).toBe('Note: #1 "A": deleted by lead\n');
  await team.run('TaskCreate --subject C --agent lead', 'TaskClaim 3 --agent bob');
  await heard(team, 'lead');
  await team.run('TaskRelease 3');
  expect(await heard(team, 'lead')).toBe('Note: #3 "C": released by main\n');
});

test.each([
  ['is deleted', 'TaskUpdate 1 --status deleted'],
  ['is no longer waited for', 'TaskUpdate 2 --remove-blocked-by 1'],
  ['is no longer in its way', 'TaskUpdate 1 --remove-blocks 2'],
])('the owner of a task is told that its last blocker %s', async (_how, change) => {
  const team = new Team();
  await team.run('TaskCreate --subject A', 'TaskCreate --subject C', 'TaskClaim 2 --agent lead');
  await team.run('TaskCreate --subject B --owner bob --blocked-by 1 --blocked-by 2');
  await heard(team, 'bob');
  const blocker = (line: string) => line.replace(/\b2\b/, '3');
  await team.run(`${blocker(change)} --agent lead`);
  expect(await heard(team, 'bob')).toBe('');
  await team.run('TaskUpdate 2 --status completed --agent lead');
  expect(await heard(team, 'bob')).toBe('Note: #3 "B": yours: unblocked by lead\n');
  await team.run('TaskUpdate 3 --add-blocked-by 2 --agent lead');
  expect(await heard(team, 'bob')).toBe('');
});

test('at most five notices per command; TaskInbox prints and marks the rest', async () => {
  const team = new Team();
  for (const name of 'ABCDEFGH') {
    await team.run(`TaskCreate --subject ${name} --owner bob --agent lead`);
  }
  const lines = (await heard(team, 'bob')).trim().split('\n');
  expect(lines).toHaveLength(6);
  expect(lines[5]).toBe('Note: and 3 more: TaskInbox');
  expect(await team.out('TaskInbox --agent bob')).toMatch(
    /^\S+Z {2}#6 "F": assigned to you by lead\n\S+Z {2}#7 "G": .*\n\S+Z {2}#8 "H": .*\n$/,
  );
  expect(await team.out('TaskInbox --agent bob')).toBe('Nothing new.\n');
  // With TODO_GUIDANCE=off all wait for TaskInbox.
  const quiet = new Team({ settings: { guidance: 'off' } });
  await quiet.run('TaskCreate --subject A --owner bob --agent lead');
  expect(await heard(quiet, 'bob')).toBe('');
  expect(await quiet.out('TaskInbox --agent bob --json')).toMatch(
    /^\{"notices":\[\{"kind":"assigned","taskId":1,"subject":"A","by":"lead","at":"\S+"\}\]\}\n$/,
  );
});

test('a task with a check is completed with its proof, or marked unproven; no input can set a proof', async () => {
  const team = new Team({ settings: { agent: 'ann' } });
  await team.call('TaskCreate', ['{"subject":"A","check":"exit 0"}']);
  await team.call('TaskCreate', ['{"subject":"B","check":"echo too bad; exit 3"}']);
  const prove = (id: number) => team.run(`TaskProve ${id}`);
  expect((await team.run('TaskUpdate 2 --status completed --prove')).exitCode).toBe(2);
  expect((await prove(2)).stderr).toBe(
    'Note: running the check: echo too bad; exit 3\nError: Cannot prove the tasks\n- unproven: #2: echo too bad; exit 3 failed: exit code 3\n  too bad\n',
  );
  expect(await team.err('TaskUpdate 2 --status completed')).toBe(
    'Note: unproven: #2; to run its check (echo too bad; exit 3): TaskProve 2\nNote: ready to claim: #1 A\n',
  );
  expect(await prove(1)).toEqual(
    ok('Updated task #1: status\n', 'Note: running the check: exit 0\n'),
  );
  const { stdout } = await team.run('TaskGet 1');
  expect(stdout).toMatch(/\nCheck: exit 0 \(proven: exit 0 exited with 0, \S+Z, for ann\)\n/);
  expect(await team.out('TaskGet 2')).toContain('\nCheck: echo too bad; exit 3 (unproven)\n');
  for (const name of ['TaskCreate', 'TaskUpdate']) {
    const forged = await team.call(name, ['{"taskId":2,"subject":"A","proof":{"command":"x"}}']);
    expect(forged.stderr).toContain("Unrecognized key 'proof'");
  }
  // A proof belongs to one completion.
  await team.run('TaskUpdate 1 --status pending');
  expect(await team.out('TaskGet 1')).toContain('\nCheck: exit 0\n');
});

test('the check of a task that another has is changed by its owner, its creator, a person, or with --force', async () => {
  const team = new Team({ settings: { agent: 'lead' } });
  await team.run('TaskCreate --subject A --check exact', 'TaskClaim 1 --agent ann');
  const change = (agent: string, check: string, ...more: string[]) =>
    team.call('TaskUpdate', ['1', '--check', check, '--agent', agent, ...more]);
  const refusal = failed(
    'Error: Cannot update task #1\n' +
      '- already_claimed: #1 is claimed by ann; its check may be changed by its owner and its creator\n' +
      '- a leader may use --force; to clear the owner: TaskRelease 1\n',
  );
  expect(await change('bob', 'true')).toEqual(refusal);
  const proving = await change('bob', 'true', '--status', 'completed');
  expect(proving.stderr).toContain('already_claimed');
  expect((await change('bob', 'exact')).stdout).toBe('Updated task #1: nothing to change\n');
  const changers = [['ann'], ['lead'], ['user'], ['bob', '--force']] as const;
  for (const [agent, ...more] of changers) {
    expect((await change(agent, `of ${agent}`, ...more)).stdout).toBe('Updated task #1: check\n');
  }
  // Only the agent that changed it may undo that.
  expect(await team.err('TaskUndo --agent eve')).toContain('already_claimed: #1 is claimed');
  expect(await team.out('TaskUndo --agent bob')).toBe('Undone: changed check of #1 A\n');
  expect((await team.out('TaskInbox --agent ann')).replace(/^\S+ +/gm, '')).toBe(
    ['lead', 'user', 'bob', 'bob'].map((by) => `#1 "A": yours: check changed by ${by}\n`).join(''),
  );
  await team.run('TaskRelease 1');
  expect((await change('bob', 'true')).exitCode).toBe(0);
});
