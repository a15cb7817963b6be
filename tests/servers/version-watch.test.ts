import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Announcement,
  type Change,
  VersionWatch,
  type Watermark,
} from '../../src/servers/version-watch.ts';
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

/** A watch of a server that says what the test sets. The timers are the test's. */
async function watching(known = 1) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const server = {
    says: { newest: known } as Watermark | Error,
    looks: 0,
    missed: 0,
    isHeard: true,
  };
  const reports: (readonly Change[] | 'looked')[] = [];
  let hear: (announced: Announcement) => void = () => {};
  const fetch = async () => {
    server.looks++;
    if (server.says instanceof Error) throw server.says;
    return server.says;
  };
  const announcements = {
    pauseMs: { heard: 30_000, missed: 1000 },
    missed: () => server.missed++,
    listen: (listener: typeof hear) => {
      hear = listener;
      return () => {
        server.isHeard = false;
      };
    },
  };
  const watch = new VersionWatch({ known, number: 'version', fetch, announcements }, (changes) =>
    reports.push(changes ?? 'looked'),
  );
  await vi.advanceTimersByTimeAsync(1);
  const change = (version: number): Change => ({ key: 'a', version, revision: 100 + version });
  return {
    ...{ server, watch, change },
    /** What it reports within so many ms of this. */
    reports: async (act: () => void, ms = 1) => {
      reports.length = 0;
      act();
      await vi.advanceTimersByTimeAsync(ms);
      return [...reports];
    },
    announce: (announced: Announcement) => () => hear(announced),
  };
}

describe('a watch', () => {
  test('reports an announced version once, without a look', async () => {
    const { server, reports, announce, change } = await watching();
    expect(server.looks).toBe(1);
    expect(await reports(announce([change(2), change(3)]))).toEqual([[change(2), change(3)]]);
    for (const version of [2, 3]) expect(await reports(announce([change(version)]))).toEqual([]);
    expect(server).toMatchObject({ looks: 1, missed: 0 });
  });

  test('looks where something was announced without a name, or missed', async () => {
    const { server, reports, announce } = await watching();
    for (const announced of ['unnamed', 'gap'] as const) {
      expect(await reports(announce(announced))).toEqual([]);
    }
    expect(server.looks).toBe(3);
    server.says = { newest: 2 };
    expect(await reports(announce('unnamed'))).toEqual(['looked']);
    expect(server).toMatchObject({ looks: 4, missed: 0 });
    server.says = { newest: 3 };
    expect(await reports(announce('gap'))).toEqual(['looked']);
    expect(server.missed).toBe(1);
  });

  test('looks after a while: a short one where the last change was not announced', async () => {
    const { server, reports, announce, change } = await watching();
    await reports(() => {}, 500);
    await reports(announce('gap'));
    server.says = { newest: 2 };
    expect(await reports(() => {}, 990)).toEqual([]);
    expect(await reports(() => {}, 10)).toEqual(['looked']);
    expect(server).toMatchObject({ looks: 3, missed: 1 });
    await reports(announce([change(3)]));
    server.says = { newest: 4 };
    expect(await reports(() => {}, 29_990)).toEqual([]);
    expect(await reports(() => {}, 10)).toEqual(['looked']);
    server.says = { newest: 5 };
    expect(await reports(() => {}, 1001)).toEqual(['looked']);
    expect(server.missed).toBe(3);
  });

  test('reports that looking fails, once, and that it works again', async () => {
    const { server, reports, announce, change } = await watching();
    server.says = new Error('no answer');
    expect(await reports(announce('unnamed'))).toEqual(['looked']);
    expect(await reports(() => {}, 5000)).toEqual([]);
    const { looks } = server;
    expect(looks).toBeGreaterThan(3);
    server.says = { newest: 1 };
    // While it fails, an announcement is a reason to look.
    expect(await reports(announce([change(2)]))).toEqual(['looked']);
    expect(server.looks).toBe(looks + 1);
    expect(await reports(announce([change(2)]))).toEqual([[change(2)]]);
  });

  test('reports a removed list, which changes only how many there are', async () => {
    const { server, reports, announce } = await watching();
    server.says = { newest: 1, count: 3 };
    expect(await reports(announce('gap'))).toEqual([]);
    expect(await reports(announce('unnamed'))).toEqual([]);
    server.says = { newest: 1, count: 2 };
    expect(await reports(announce('unnamed'))).toEqual(['looked']);
    expect(await reports(announce('unnamed'))).toEqual([]);
  });

  test('that does not know how many lists there were, reports that something unnamed has changed', async () => {
    const { server, reports, announce } = await watching();
    server.says = { newest: 1, count: 3 };
    expect(await reports(announce('unnamed'))).toEqual(['looked']);
  });

  test('reports a version of its own program once, and not what a look saw meanwhile', async () => {
    const { server, reports, watch, announce } = await watching();
    expect(await reports(() => watch.committed(2))).toEqual(['looked']);
    expect(await reports(() => watch.committed(2))).toEqual([]);
    server.says = { newest: 2 };
    const { looks } = server;
    const act = () => {
      announce('unnamed')();
      watch.committed(3);
      server.says = { newest: 3 };
    };
    expect(await reports(act, 5)).toEqual(['looked']);
    expect(server.looks).toBe(looks + 2);
  });

  test('that has ended reports nothing, and looks no more', async () => {
    const { server, reports, watch, announce, change } = await watching();
    server.says = { newest: 2 };
    const act = () => {
      announce('unnamed')();
      watch.end();
    };
    expect(await reports(act, 100_000)).toEqual([]);
    expect(await reports(announce([change(3)]), 100_000)).toEqual([]);
    expect(server).toMatchObject({ looks: 2, isHeard: false });
  });
});
