import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { hasPostgres } from '../helpers/engines.ts';
import { useServers } from '../helpers/servers.ts';

const NOON = new Date('2026-05-01T12:00:00.000Z');
const LONGEST_MS = 60_000;

const servers = useServers();

describe.runIf(hasPostgres)('on PostgreSQL', () => {
  test('each change by another client is announced: none is found by looking at intervals', async () => {
    // For the watcher, no interval ever passes.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const open = () => servers.postgres.place<string>('todos/s/a', { author: 'ann', history: 50 });
    let hear = () => {};
    onTestFinished(open().watch(() => hear()));
    for (const version of [1, 2, 3, 4]) {
      const heard = new Promise<void>((resolve) => {
        hear = resolve;
      });
      expect(await open().commit(version - 1, `${version}`, NOON)).toMatchObject({ version });
      const late = pause(LONGEST_MS, 'late', { ref: false });
      expect(await Promise.race([heard, late]), `version ${version}`).toBeUndefined();
    }
  });
});
