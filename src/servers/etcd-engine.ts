import { StateError } from '../base/command/state-error.ts';
import { clockMs, inTime, pause } from '../base/command/time-limit.ts';
import type { HistoryRange } from '../lists/place.ts';
import {
  changedTooOften,
  Engine,
  type EngineServers,
  type NewVersion,
  type Purpose,
  type ServerAnswer,
  type StoredOnServer,
} from './engine.ts';
import {
  afterAll,
  announcementIn,
  base64,
  bytesIn,
  type EtcdAnswer,
  idIn,
  keyOfVersion,
  QuotaFull,
  textIn,
  versionIn,
  versionOfKey,
} from './etcd-answer.ts';
import { EtcdConnection, type EtcdLogin } from './etcd-connection.ts';
import type { Announcement, Announcements, Watermark } from './version-watch.ts';

const PAGE = 1000;
const LOOK_EVERY_MS = 4000;
const RETRY_PAUSE_MS = 200;
/** The next member is tried after this; an election takes about a second. */
const ETCD_TRY_MS = 1500;
/** etcd accepts requests of up to 1.5 MiB; keys and comparisons take the rest. */
const MAX_VALUE_BYTES = 1.5 * 1024 * 1024 - 8 * 1024;

export interface EtcdOptions extends EtcdLogin, EngineServers {
  /** The prefix of all keys, without a slash at its end. */
  readonly root: string;
}

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
export class EtcdEngine extends Engine<EtcdConnection> {
  readonly #login: EtcdLogin;
  readonly #start: string;
  readonly #watching = new Set<EtcdConnection>();

  constructor(options: EtcdOptions) {
    const connect = (member: string) => new EtcdConnection(member, options);
    super(`etcd at ${options.hosts.join(', ')}`, options, ETCD_TRY_MS, connect);
    this.#login = options;
    this.#start = `${options.root}/`;
  }

  /**
   * Calls one member after the other. A request without an answer may have been carried out; the sender of a change must be
   * able to tell from the next answer.
   *
   * @throws StateError if no member answers in time, or one refuses.
   */
  call(path: string, body: object, purpose: Purpose = 'read'): Promise<ServerAnswer<EtcdAnswer>> {
    return this.ask(purpose, (connection) => connection.call(path, body));
  }

  where(key: string): string {
    return `${this.name}: ${this.#start}${key}/`;
  }

  async read(key: string, { newest = 0, from = 1 }: HistoryRange): Promise<StoredOnServer[]> {
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
      const answered = await this.call('kv/txn', this.#request(key, version), 'change');
      return answered.answer.succeeded === true || this.#isOurs(answered, id);
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof QuotaFull)) throw error;
      const made = { key: this.#keyOf(key, base + 1) };
      const doubt = { reason: cause.message };
      const { answer } = await this.call('kv/range', made, doubt);
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

  async lastChange(prefix: string): Promise<Watermark> {
    const last = { keys_only: true, limit: '1', sort_order: 'DESCEND', sort_target: 'MOD' };
    const { kvs, count } = await this.#range({ ...this.#below(prefix), ...last });
    return { newest: Number(kvs?.[0]?.mod_revision ?? 0), count: Number(count ?? 0) };
  }

  /**
   * A watch that ends is opened again, at the next member, and looks for changes in between. One that missed a change is
   * cut off somewhere although its connection stands, so it is opened again too.
   */
  announcements(prefix: string): Announcements {
    const body = { create_request: this.#below(prefix) };
    let watching: EtcdConnection | undefined;
    let [isEstablished, hasEnded] = [false, false];
    const follow = async (hear: (announced: Announcement) => void) => {
      while (!hasEnded && !this.isClosed) {
        const connection = new EtcdConnection(this.current, this.#login);
        const timer = setTimeout(() => connection.end(), this.tryMs).unref();
        connection.heard = (said) => {
          clearTimeout(timer);
          isEstablished = true;
          hear(announcementIn(said, this.#start));
        };
        watching = connection;
        this.#watching.add(connection);
        await connection.ready.then(() => connection.watch(body)).catch(() => {});
        clearTimeout(timer);
        this.#watching.delete(connection);
        isEstablished = false;
        this.turnFrom(connection.address);
        if (!hasEnded) await pause(RETRY_PAUSE_MS, false);
      }
    };
    return {
      pauseMs: { heard: LOOK_EVERY_MS, missed: LOOK_EVERY_MS },
      missed: () => isEstablished && watching?.end(),
      listen: (hear) => {
        void follow(hear);
        return () => {
          hasEnded = true;
          watching?.end();
        };
      },
    };
  }

  init(): Promise<void> {
    return this.probeWriting('todos');
  }

  /** Sends a transaction that can never succeed: rights and quota are checked first. */
  async probeWriting(list: string): Promise<void> {
    const key = this.#keyOf(list, 1);
    const compare = [{ target: 'VERSION', result: 'LESS', version: '0', key }];
    await this.call('kv/txn', { compare, success: [{ request_put: { key } }] });
  }

  status(): Promise<string[]> {
    const start = clockMs();
    return inTime(ETCD_TRY_MS, (deadline) => {
      const asked = this.hosts.map(async (member) => {
        const connection = new EtcdConnection(member, this.#login);
        try {
          const { version, leader, dbSize } = await connection.within(
            Math.min(ETCD_TRY_MS, deadline - start),
            () => connection.call('maintenance/status', {}),
          );
          const size = Math.round(Number(dbSize) / 1024);
          const ms = (clockMs() - start).toFixed(1);
          return `${member}: etcd ${version}, ${size} KiB, ${ms} ms${leader === '0' ? ', no leader' : ''}`;
        } catch (error) {
          return `${member}: ${(error as Error).message}`;
        } finally {
          connection.end();
        }
      });
      return Promise.all(asked);
    });
  }

  override close(): void {
    super.close();
    for (const connection of this.#watching) connection.end();
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
  #isOurs({ answer, doubt }: ServerAnswer<EtcdAnswer>, id: string): boolean {
    const [next, newest] = (answer.responses ?? []).map(
      ({ response_range }) => response_range?.kvs?.[0],
    );
    if (next) return idIn(next) === id;
    if (newest && doubt) throw changedTooOften(this.name);
    return false;
  }

  async #range(request: object): Promise<EtcdAnswer> {
    return (await this.call('kv/range', request)).answer;
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
