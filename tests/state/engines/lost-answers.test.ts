import { describe, expect, onTestFinished, test } from 'vitest';
import type { SharedPlace } from '../../../src/state/place.ts';
import { DroppingProxy } from '../../helpers/dropping-proxy.ts';
import {
  closing,
  etcdPlace,
  hasEtcd,
  hasPostgres,
  postgresPlace,
  useServers,
} from '../../helpers/engines.ts';
import { freePorts } from '../../helpers/ports.ts';

// What a client says whose request was carried out, and whose answer was lost on the way.

const NOON = new Date('2026-05-01T12:00:00.000Z');
const servers = useServers();

let lists = 0;
interface Kind {
  /** What only the message holds that makes the server commit. */
  marker(key: string): string;
  server(): { host: string; port: number };
  place(key: string, port: number, timeoutMs?: number): SharedPlace<string>;
}
const history = 5;
const KINDS: [string, boolean, Kind][] = [
  [
    'etcd',
    hasEtcd,
    {
      marker: () => 'kv/txn',
      server: () => {
        const [host = '', port] = (servers.etcd.endpoints[0] ?? '').split(':');
        return { host, port: Number(port) };
      },
      place: (key, port, timeoutMs = 5000) => {
        const client = closing(
          servers.etcd.client({ endpoints: [`127.0.0.1:${port}`], timeoutMs }),
        );
        return etcdPlace(client, key, { author: 'ann', history });
      },
    },
  ],
  [
    'PostgreSQL',
    hasPostgres,
    {
      // The statement's text comes first, its values when it is carried out.
      marker: (key) => key,
      server: () => ({ host: '127.0.0.1', port: servers.postgres.port }),
      place: (key, port, timeoutMs = 5000) => {
        const client = closing(
          servers.postgres.client({ hosts: [{ host: '127.0.0.1', port }], timeoutMs }),
        );
        return postgresPlace(client, key, { author: 'ann', history });
      },
    },
  ],
];

describe.for(KINDS)('on %s', ([, isHere, kind]) => {
  describe.runIf(isHere)('a commit', () => {
    async function placeBehindProxy() {
      const proxy = await DroppingProxy.start(kind.server());
      onTestFinished(() => proxy.close());
      const key = `lost/${++lists}`;
      return {
        loseAnswer: (onDrop?: () => Promise<void>) => proxy.dropAnswerTo(kind.marker(key), onDrop),
        place: kind.place(key, proxy.port),
        other: kind.place(key, kind.server().port),
      };
    }

    test('whose answer is lost is told as done, and is done once', async () => {
      const { loseAnswer, place, other } = await placeBehindProxy();
      for (let base = 0; base < 4; base++) {
        loseAnswer();
        expect(await place.commit(base, `${base}`, NOON)).toMatchObject({ version: base + 1 });
      }
      expect([...(await other.history())].map(({ content }) => content)).toEqual([
        '3',
        '2',
        '1',
        '0',
      ]);
    });

    test('is told as done also where others have gone on since', async () => {
      const { loseAnswer, place, other } = await placeBehindProxy();
      loseAnswer(async () => {
        for (let base = 1; base < history; base++) await other.commit(base, 'theirs', NOON);
      });
      expect(await place.commit(0, 'ours', NOON)).toMatchObject({ version: 1, content: 'ours' });
    });

    test('is told as not known where others have made so many versions since that its own is gone', async () => {
      const { loseAnswer, place, other } = await placeBehindProxy();
      loseAnswer(async () => {
        for (let base = 1; base < 200; base++) await other.commit(base, 'theirs', NOON);
      });
      await expect(place.commit(0, 'ours', NOON)).rejects.toThrow(
        /^not known whether the change was made: /,
      );
    }, 60_000);

    test('that lost the race while its answer was lost is told as lost', async () => {
      const { loseAnswer, place, other } = await placeBehindProxy();
      await other.commit(0, 'theirs', NOON);
      loseAnswer();
      expect(await place.commit(0, 'ours', NOON)).toBeUndefined();
    });

    test('that never reached a server says that nothing was changed, within the time limit', async () => {
      const [port = 0] = await freePorts(1);
      const place = kind.place(`lost/${++lists}`, port, 500);
      await expect(place.commit(0, 'ours', NOON)).rejects.toThrow(/; nothing was changed$/);
      await expect(place.load()).rejects.toThrow(new RegExp(`127.0.0.1:${port}`));
    });
  });
});
