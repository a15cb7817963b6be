import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leaseEnd, leaseFor, leaseLeft, machineClock } from '../../src/tasks/lease.ts';
import type { Task } from '../../src/tasks/task.ts';
import { callCommand } from '../helpers/commands.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, run } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';

// A lease belongs to one agent in one team: only that agent's commands there renew it.

function machine() {
  const folder = temporaryDirectory();
  const env = (team: string) =>
    cleanEnvironment({
      HOME: folder,
      TODO_STATE_DIR: join(folder, 'state'),
      TODO_TEAM: team,
      TODO_SESSION: team,
      TODO_AGENT: 'ann',
      TODO_LEASE: '3s',
    });
  const call = (team: string, name: string, ...argv: string[]) =>
    callCommand(env(team), name, argv, { cwd: folder });
  const beat = async (team: string, id = '1') =>
    JSON.parse((await call(team, 'TaskGet', id, '--json', '--agent', 'lead')).stdout).lease.beat;
  return { env, call, beat, folder };
}

// The task commands themselves: tests/tasks/claims.test.ts.
test('TodoWrite and TodoRead on PATH renew the leases that their agent has in its team, and not those in another', async () => {
  const { env, call, beat, folder } = machine();
  const programs = { blue: 'todo-read', green: 'todo-write', red: undefined } as const;
  for (const team of Object.keys(programs)) {
    await call(team, 'TaskCreate', '--subject', 'A');
    expect((await call(team, 'TaskClaim', '1')).stderr).toBe(
      'Note: the lease is 3s; your commands renew it\n',
    );
  }
  const third = performance.now() + 1000;
  await eventually('a third of the lease is over', () => performance.now() > third);
  for (const team of ['blue', 'green'] as const) {
    const options = { env: env(team), cwd: folder, input: '{"todos":[]}' };
    expect(run(programs[team], [], options)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await beat(team)).toBe(2);
  }
  expect(await beat('red')).toBe(1);
  expect(readdirSync(join(folder, 'state'))).not.toContain('leases~');
});

test('a lease of another machine runs from when it was seen itself, not one like it of another list', async () => {
  const file = join(temporaryDirectory(), 'seen');
  const clock = machineClock(() => file);
  const lease = { ms: 1000, beat: 1, clock: 'there', tick: 5 };
  expect(clock.seenFor(1, lease)).toBe(0);
  await eventually('the clock goes on', () => clock.seenFor(1, lease) > 1);
  expect(machineClock(() => file).seenFor(1, lease)).toBeGreaterThan(1);
  expect(clock.seenFor(1, { ...lease, tick: 6 })).toBe(0);
});

test('a lease of a machine with the same id and another clock, such as a clone of its snapshot, is not over early', () => {
  const file = join(temporaryDirectory(), 'seen');
  const ours = machineClock(() => file);
  const now = () => ours.now() - 3_600_000;
  const theirs = { ...ours, now };
  const lease = leaseFor(60_000, theirs);
  const task = { id: 1, status: 'in_progress', lease } as Task;
  expect(leaseLeft(task, ours)).toBeGreaterThan(30_000);
  expect(leaseLeft(task, { ...ours, now: () => ours.now() + 61_000 })).toBeGreaterThan(30_000);
  const later = { now: () => ours.now() + 61_000, wall: () => ours.wall() + 61_000 };
  expect(leaseLeft(task, { ...ours, ...later })).toBe(0);
});

test('a lease ends at a second of the day, and only a task in progress has one', () => {
  const ours = machineClock(() => join(temporaryDirectory(), 'seen'));
  const clock = { ...ours, now: () => 5000, wall: () => 1_000_000_300 };
  const lease = leaseFor(60_000, clock);
  const later = { ...clock, now: () => 15_000, wall: () => 1_000_010_300 };
  for (const moment of [clock, later]) {
    expect(leaseEnd({ id: 1, status: 'in_progress', lease } as Task, moment)).toBe(1_000_061_000);
    expect(leaseEnd({ id: 1, status: 'completed', lease } as Task, moment)).toBeUndefined();
    expect(leaseEnd({ id: 1, status: 'in_progress' } as Task, moment)).toBeUndefined();
  }
});
