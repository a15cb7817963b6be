import {
  type ContentCheck,
  type HistoryRange,
  newId,
  type SharedPlace,
  type Version,
} from '../place.ts';
import { notKnown, StateError } from '../state-error.ts';
import type { EtcdClient } from './etcd-client.ts';
import {
  base64,
  type KeyRange,
  type KeyValue,
  keyOfVersion,
  rangeBelow,
  textOf,
  versionOfKey,
  watchRange,
} from './etcd-range.ts';
import { QuotaFull } from './etcd-refusal.ts';
import type { Answer } from './servers.ts';
import { decodeContent, encodeContent, readVersions, versionOf } from './stored-content.ts';
import type { VersionWatch } from './version-watch.ts';

export interface EtcdPlaceOptions {
  readonly client: EtcdClient;
  /** The key of the list, without a slash at its end. */
  readonly key: string;
  readonly author: string;
  /** How many versions to keep, the newest included. */
  readonly history: number;
  /** What is wrong with a content that somebody else may have written. */
  readonly check?: ContentCheck | undefined;
}

/** etcd takes requests of up to 1.5 MiB; the rest of one is keys and comparisons. */
const MAX_VALUE_BYTES = 1.5 * 1024 * 1024 - 8 * 1024;

/**
 * A list on etcd: one key a version, newest first in one range.
 *
 * A commit is one transaction that compares "no key newer than the base" and "the base is there". The first alone
 * would let a delayed writer in whose number was given out and pruned long ago; together they cannot both hold again.
 * Each version has an ID, by which a commit whose answer was lost knows itself when it is sent again.
 */
export class EtcdPlace<T> implements SharedPlace<T> {
  readonly #client: EtcdClient;
  readonly #prefix: string;
  readonly isFar = true;
  readonly author: string;
  readonly #history: number;
  readonly #check: ContentCheck | undefined;
  /** The range of all versions. */
  readonly #all: KeyRange;
  readonly #watches = new Set<VersionWatch<number>>();
  /** The newest version that was read or written here. */
  #known = 0;

  constructor({ client, key, author, history, check }: EtcdPlaceOptions) {
    this.#client = client;
    this.#prefix = `${key}/`;
    this.#all = rangeBelow(this.#prefix);
    this.author = author;
    this.#history = history;
    this.#check = check;
  }

  async load(): Promise<Version<T> | undefined> {
    const [newest] = await this.history({ newest: 1 });
    this.#known = newest?.version ?? 0;
    return newest;
  }

  history(range?: HistoryRange): Promise<Version<T>[]> {
    const read = ({ newest = 0, from = 1 }: HistoryRange) => this.#range(newest, { from });
    return readVersions(read, (pair) => this.#decode(pair), range);
  }

  async commit(base: number, content: T, at: Date): Promise<Version<T> | undefined> {
    if (!Number.isSafeInteger(base) || base < 0) return undefined;
    const id = newId();
    const version = { version: base + 1, at, by: this.author, content };
    const value = encodeContent({ id, at: at.toISOString(), by: this.author, content });
    if (value.length > MAX_VALUE_BYTES) {
      throw new StateError(
        `the list is too large for etcd: ${value.length} bytes, at most ${MAX_VALUE_BYTES}; nothing was changed`,
      );
    }
    if (!(await this.#put(base, value, id))) return undefined;
    this.#known = version.version;
    for (const watch of [...this.#watches]) watch.committed(version.version);
    return version;
  }

  watch(listener: () => void): () => void {
    const { watch, end } = watchRange(this.#client, this.#all, {
      newest: () => this.#newest(),
      known: this.#known,
      listener,
    });
    this.#watches.add(watch);
    return () => {
      this.#watches.delete(watch);
      end();
    };
  }

  async #newest(): Promise<number> {
    const [newest] = await this.#range(1, { keysOnly: true });
    return newest ? this.#versionOf(newest) : 0;
  }

  /** @returns whether it was made. */
  async #put(base: number, value: Buffer, id: string): Promise<boolean> {
    try {
      const request = this.#commitRequest(base, value);
      const answered = await this.#client.call<TxnResponse>('kv/txn', request, 'change');
      return answered.answer.succeeded === true || this.#isOurs(answered, id);
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof QuotaFull)) throw error;
      const key = base64(this.#keyOf(base + 1));
      const doubt = { reason: cause.message };
      const { answer } = await this.#client.call<RangeResponse>('kv/range', { key }, doubt);
      if (answer.kvs?.[0] && idOf(answer.kvs[0]) === id) return true;
      throw error;
    }
  }

  #commitRequest(base: number, value: Buffer): object {
    const all = this.#all;
    const newer = { key: all.key, range_end: base64(this.#keyOf(base)) };
    const compare = [
      { target: 'VERSION', result: 'EQUAL', version: '0', ...(base === 0 ? all : newer) },
      ...(base === 0
        ? []
        : [{ target: 'VERSION', result: 'GREATER', version: '0', key: base64(this.#keyOf(base)) }]),
    ];
    const oldest = base + 1 - this.#history;
    const prune =
      oldest > 0
        ? [{ request_delete_range: { key: base64(this.#keyOf(oldest)), range_end: all.range_end } }]
        : [];
    const next = base64(this.#keyOf(base + 1));
    return {
      compare,
      success: [{ request_put: { key: next, value: value.toString('base64') } }, ...prune],
      failure: [
        { request_range: { key: next } },
        { request_range: { ...all, limit: '1', keys_only: true } },
      ],
    };
  }

  /** Whether a commit that was refused is so because an earlier try of it was carried out. */
  #isOurs({ answer, doubt }: Answer<TxnResponse>, id: string): boolean {
    const [next, newest] = (answer.responses ?? []).map(
      ({ response_range }) => response_range?.kvs?.[0],
    );
    if (next) return idOf(next) === id;
    if (newest && doubt) {
      throw notKnown(
        `${this.#client.name} did not answer, and others have changed the list too often since`,
      );
    }
    return false;
  }

  async #range(limit: number, { from = 1, keysOnly = false } = {}): Promise<KeyValue[]> {
    const { answer } = await this.#client.call<RangeResponse>('kv/range', {
      key: this.#all.key,
      range_end: from > 1 ? base64(this.#keyOf(from - 1)) : this.#all.range_end,
      limit: String(limit),
      keys_only: keysOnly,
    });
    return answer.kvs ?? [];
  }

  #decode(pair: KeyValue): Version<T> {
    const where = `${this.#client.name}: ${this.#prefix}`;
    const bytes = Buffer.from(pair.value ?? '', 'base64');
    return versionOf(this.#versionOf(pair), bytes, where, this.#check);
  }

  #keyOf(version: number): string {
    return keyOfVersion(this.#prefix, version);
  }

  #versionOf({ key }: KeyValue): number {
    return versionOfKey(textOf(key))?.version ?? 0;
  }
}

interface RangeResponse {
  readonly kvs?: KeyValue[];
}

interface TxnResponse {
  readonly succeeded?: boolean;
  readonly responses?: readonly { readonly response_range?: RangeResponse }[];
}

function idOf({ value = '' }: KeyValue): string | undefined {
  const stored = decodeContent(Buffer.from(value, 'base64'));
  return 'id' in stored ? stored.id : undefined;
}
