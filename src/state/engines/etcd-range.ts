import { setTimeout as pause } from 'node:timers/promises';
import type { EtcdClient } from './etcd-client.ts';
import { type Sighting, VersionWatch } from './version-watch.ts';

/** A key as the gateway gives it: in base64, as the value is. */
export interface KeyValue {
  readonly key: string;
  readonly value?: string;
}

/** A range of keys as the gateway takes it. */
export interface KeyRange {
  readonly key: string;
  readonly range_end: string;
}

/** Version N has the key of this number less N, so that the newest comes first in a range. */
const LAST_VERSION = 10 ** 15 - 1;
const KEY_OF_VERSION = /^(.*)\/(\d{15})$/s;
const PAGE = 1000;
const LOOK_EVERY_MS = 4000;
const PAUSE_MS = 200;

/** @param prefix with the slash at its end. */
export function keyOfVersion(prefix: string, version: number): string {
  return prefix + String(LAST_VERSION - version).padStart(15, '0');
}

/** Which version of which list a key holds; undefined for a key that somebody else has made. */
export function versionOfKey(key: string): { list: string; version: number } | undefined {
  const [, list, number] = KEY_OF_VERSION.exec(key) ?? [];
  return list === undefined ? undefined : { list, version: LAST_VERSION - Number(number) };
}

/** All keys that begin so. */
export function rangeBelow(prefix: string): KeyRange {
  return { key: base64(prefix), range_end: base64(afterAll(prefix)) };
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

export function textOf(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

/** The keys of all lists below a prefix, in their order, with the newest version of each. */
export async function listsBelow(
  client: EtcdClient,
  prefix: string,
): Promise<{ key: string; version: number }[]> {
  const found = new Map<string, number>();
  const { range_end } = rangeBelow(prefix);
  for (let start = prefix; ; ) {
    const { answer } = await client.call<{ kvs?: KeyValue[]; more?: boolean }>('kv/range', {
      key: base64(start),
      range_end,
      keys_only: true,
      limit: String(PAGE),
    });
    const keys = (answer.kvs ?? []).map(({ key }) => textOf(key));
    for (const key of keys) {
      const of = versionOfKey(key);
      if (of && !found.has(of.list)) found.set(of.list, of.version);
    }
    const last = keys.at(-1);
    if (!answer.more || last === undefined) break;
    // The other versions of a list are nothing new.
    const of = versionOfKey(last);
    start = of ? afterAll(`${of.list}/`) : `${last}\0`;
  }
  return [...found].map(([key, version]) => ({ key, version }));
}

/** Asks for a change that cannot come about: rights and room are looked at first. */
export async function checkWriting(client: EtcdClient, prefix: string): Promise<void> {
  const key = base64(keyOfVersion(prefix, 1));
  const never = { target: 'VERSION', result: 'LESS', version: '0', key };
  await client.call('kv/txn', { compare: [never], success: [{ request_put: { key } }] }, 'change');
}

/** What tells one state of all keys of a range from another. */
export async function lastChangeIn(client: EtcdClient, range: KeyRange): Promise<string> {
  const { answer } = await client.call<{ kvs?: { mod_revision?: string }[]; count?: string }>(
    'kv/range',
    { ...range, keys_only: true, limit: '1', sort_order: 'DESCEND', sort_target: 'MOD' },
  );
  return `${answer.kvs?.[0]?.mod_revision ?? 0} of ${answer.count ?? 0}`;
}

/**
 * Watches a range of keys: looks at each event of it, and now and then without one.
 *
 * A watch that ends is opened again, at the next member, and what came in between is looked for. One that did not tell of
 * what was found without it is cut off somewhere, though its connection stands; it is opened again too.
 */
export function watchRange<Seen extends Sighting>(
  client: EtcdClient,
  range: KeyRange,
  options: {
    readonly newest: () => Promise<Seen>;
    readonly known: Seen;
    readonly listener: () => void;
  },
): { readonly watch: VersionWatch<Seen>; readonly end: () => void } {
  let stream: AbortController | undefined;
  let hasEnded = false;
  const watch = new VersionWatch({
    ...options,
    pauseMs: (found) => {
      if (found === 'unasked') stream?.abort();
      return LOOK_EVERY_MS;
    },
  });
  const follow = async () => {
    while (!hasEnded && !client.isClosed) {
      // Only once it stands can it have missed something.
      const opening = new AbortController();
      try {
        const events = await client.stream('watch', { create_request: range }, opening.signal);
        if (hasEnded) events.destroy();
        stream = opening;
        // An event only says that it is time to look; the first one says that the watch stands.
        for await (const _ of events) await watch.look(true);
      } catch {
        client.turnAway();
      }
      stream = undefined;
      if (!hasEnded) await pause(PAUSE_MS, undefined, { ref: false });
    }
  };
  void follow();
  return {
    watch,
    end: () => {
      hasEnded = true;
      watch.end();
      stream?.abort();
    },
  };
}

/** The end of the range of all keys that begin so. */
function afterAll(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
