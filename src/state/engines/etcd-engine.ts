import type { HistoryRange } from '../place.ts';
import { StateError } from '../state-error.ts';
import { pause } from '../time-limit.ts';
import type { Engine, NewVersion, StoredVersion } from './engine.ts';
import { type EtcdAnswer, type KeyValue, QuotaFull } from './etcd-answer.ts';
import type { EtcdClient } from './etcd-client.ts';
import { type Answer, changedTooOften } from './servers.ts';
import { decodeContent } from './stored-content.ts';
import type { Bell } from './version-watch.ts';

/** Version N has the key of this number minus N, so that the newest comes first in a range. */
const LAST_VERSION = 10 ** 15 - 1;
const KEY_OF_VERSION = /^(.*)\/(\d{15})$/s;
const PAGE = 1000;
const LOOK_EVERY_MS = 4000;
const PAUSE_MS = 200;
/** etcd accepts requests of up to 1.5 MiB; keys and comparisons take the rest. */
const MAX_VALUE_BYTES = 1.5 * 1024 * 1024 - 8 * 1024;

interface KeyRange {
  readonly key: string;
  readonly range_end: string;
}

/**
 * Lists on etcd: one key per version, newest first in one range.
 *
 * A commit is one transaction that compares "no key newer than the base" and "the base is there". The first alone would let
 * in a delayed writer whose number was given out and pruned long ago; together they cannot both hold again.
 */
export class EtcdEngine implements Engine {
  readonly #client: EtcdClient;
  readonly #start: string;

  /** @param root the prefix of all keys, without a slash at its end. */
  constructor(client: EtcdClient, root: string) {
    this.#client = client;
    this.#start = `${root}/`;
  }

  get name(): string {
    return this.#client.name;
  }

  where(key: string): string {
    return `${this.name}: ${this.#start}${key}/`;
  }

  async read(key: string, { newest = 0, from = 1 }: HistoryRange): Promise<StoredVersion[]> {
    const { key: start, range_end } = this.#versions(key);
    const { kvs = [] } = await this.#range({
      key: start,
      range_end: from > 1 ? this.#keyOf(key, from - 1) : range_end,
      limit: String(newest),
    });
    return kvs.map((pair) => ({ version: versionIn(pair), bytes: bytesIn(pair) }));
  }

  async newest(key: string): Promise<number> {
    const { kvs } = await this.#range({ ...this.#versions(key), limit: '1', keys_only: true });
    return kvs?.[0] ? versionIn(kvs[0]) : 0;
  }

  async commit(key: string, version: NewVersion): Promise<boolean> {
    const { base, bytes, id } = version;
    if (bytes.length > MAX_VALUE_BYTES) {
      throw new StateError(
        `the list is too large for etcd: ${bytes.length} bytes, at most ${MAX_VALUE_BYTES}; nothing was changed`,
      );
    }
    try {
      const answered = await this.#client.call('kv/txn', this.#request(key, version), 'change');
      return answered.answer.succeeded === true || this.#isOurs(answered, id);
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof QuotaFull)) throw error;
      const made = { key: this.#keyOf(key, base + 1) };
      const doubt = { reason: cause.message };
      const { answer } = await this.#client.call('kv/range', made, doubt);
      if (idIn(answer.kvs?.[0]) === id) return true;
      throw error;
    }
  }

  async lists(prefix: string): Promise<{ key: string; version: number }[]> {
    const found = new Map<string, number>();
    const { range_end } = this.#below(prefix);
    for (let start = this.#start + prefix; ; ) {
      const page = { key: base64(start), range_end, keys_only: true, limit: String(PAGE) };
      const { kvs = [], more } = await this.#range(page);
      const keys = kvs.map(({ key }) => textIn(key));
      for (const key of keys) {
        const of = versionOfKey(key);
        if (of && !found.has(of.list)) found.set(of.list, of.version);
      }
      const last = keys.at(-1);
      if (!more || last === undefined) break;
      // Other versions of a list are no news.
      const of = versionOfKey(last);
      start = of ? afterAll(`${of.list}/`) : `${last}\0`;
    }
    return [...found].map(([key, version]) => ({ key: key.slice(this.#start.length), version }));
  }

  async lastChange(prefix: string): Promise<string> {
    const last = { keys_only: true, limit: '1', sort_order: 'DESCEND', sort_target: 'MOD' };
    const { kvs, count } = await this.#range({ ...this.#below(prefix), ...last });
    return `${kvs?.[0]?.mod_revision ?? 0} of ${count ?? 0}`;
  }

  /**
   * A watch that ends is opened again, at the next member, and looks for changes in between. One that missed a change is
   * cut off somewhere although its connection stands, so it is opened again too.
   */
  bell(prefix: string): Bell {
    let stream: (() => void) | undefined;
    let hasEnded = false;
    const follow = async (look: (isAsked: boolean) => unknown) => {
      let [isDue, isLooking] = [false, false];
      const lookUntilDone = async () => {
        isDue = true;
        if (isLooking) return;
        for (isLooking = true; isDue; ) {
          isDue = false;
          await look(true);
        }
        isLooking = false;
      };
      while (!hasEnded && !this.#client.isClosed) {
        const hear = (end: () => void) => {
          // Only an established watch can have missed something.
          stream = end;
          if (hasEnded) end();
          // Any event means: look. The first one says that the watch is established.
          void lookUntilDone();
        };
        await this.#client.watch({ create_request: this.#below(prefix) }, hear);
        stream = undefined;
        this.#client.turnToNext();
        if (!hasEnded) await pause(PAUSE_MS, false);
      }
    };
    return {
      pauseMs: (found) => {
        if (found === 'unasked') stream?.();
        return LOOK_EVERY_MS;
      },
      listen: (look) => {
        void follow(look);
        return () => {
          hasEnded = true;
          stream?.();
        };
      },
    };
  }

  async init(): Promise<void> {}

  /** Sends a transaction that can never succeed: rights and quota are checked first. */
  async checkWriting(list: string): Promise<void> {
    const key = this.#keyOf(list, 1);
    const never = { target: 'VERSION', result: 'LESS', version: '0', key };
    const request = { compare: [never], success: [{ request_put: { key } }] };
    await this.#client.call('kv/txn', request, 'change');
  }

  async status(): Promise<string[]> {
    return (await this.#client.status()).map(({ endpoint, answer, ms }) => {
      if (answer instanceof Error) return `${endpoint}: ${answer.message}`;
      const { version, leader, dbSize } = answer;
      const size = Math.round(Number(dbSize) / 1024);
      return `${endpoint}: etcd ${version}, ${size} KiB, ${ms.toFixed(1)} ms${leader === '0' ? ', no leader' : ''}`;
    });
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  #request(key: string, { base, bytes, history }: NewVersion): object {
    const all = this.#versions(key);
    const last = this.#keyOf(key, base);
    const [next, oldest] = [this.#keyOf(key, base + 1), base + 1 - history];
    const newer = { key: all.key, range_end: last };
    const none = { target: 'VERSION', result: 'EQUAL', version: '0' };
    const some = { target: 'VERSION', result: 'GREATER', version: '0' };
    const pruned = { key: this.#keyOf(key, oldest), range_end: all.range_end };
    return {
      compare:
        base === 0
          ? [{ ...none, ...all }]
          : [
              { ...none, ...newer },
              { ...some, key: last },
            ],
      success: [
        { request_put: { key: next, value: bytes.toString('base64') } },
        ...(oldest > 0 ? [{ request_delete_range: pruned }] : []),
      ],
      failure: [
        { request_range: { key: next } },
        { request_range: { ...all, limit: '1', keys_only: true } },
      ],
    };
  }

  /** True if a commit was refused because an earlier try of it was carried out. */
  #isOurs({ answer, doubt }: Answer<EtcdAnswer>, id: string): boolean {
    const [next, newest] = (answer.responses ?? []).map(
      ({ response_range }) => response_range?.kvs?.[0],
    );
    if (next) return idIn(next) === id;
    if (newest && doubt) throw changedTooOften(this.name);
    return false;
  }

  async #range(request: object): Promise<EtcdAnswer> {
    return (await this.#client.call('kv/range', request)).answer;
  }

  /** Keys of other lists below it do not count. */
  #versions(key: string): KeyRange {
    const start = `${this.#start}${key}/`;
    return { key: base64(`${start}0`), range_end: base64(afterAll(`${start}9`)) };
  }

  #below(prefix: string): KeyRange {
    const start = this.#start + prefix;
    return { key: base64(start), range_end: base64(afterAll(start)) };
  }

  #keyOf(list: string, version: number): string {
    return base64(keyOfVersion(`${this.#start}${list}/`, version));
  }
}

/** @param prefix with the slash at its end. */
export function keyOfVersion(prefix: string, version: number): string {
  return prefix + String(LAST_VERSION - version).padStart(15, '0');
}

/** Undefined for a key that somebody else has made. */
function versionOfKey(key: string): { list: string; version: number } | undefined {
  const [, list, number] = KEY_OF_VERSION.exec(key) ?? [];
  return list === undefined ? undefined : { list, version: LAST_VERSION - Number(number) };
}

function versionIn({ key }: KeyValue): number {
  return versionOfKey(textIn(key))?.version ?? 0;
}

function bytesIn({ value = '' }: KeyValue): Buffer {
  return Buffer.from(value, 'base64');
}

function idIn(pair: KeyValue | undefined): string | undefined {
  const stored = pair && decodeContent(bytesIn(pair));
  return stored && 'id' in stored ? stored.id : undefined;
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function textIn(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

/** The end of the range of all keys with this prefix. */
function afterAll(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
