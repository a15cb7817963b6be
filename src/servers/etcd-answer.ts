import { isObject } from '../base/json/fields.ts';
import { LAST_VERSION } from '../lists/place.ts';
import { Failed } from './connection.ts';
import { decodeContent, parseBounded, TooMuch } from './stored-content.ts';
import type { Announcement, Change } from './version-watch.ts';

const NO_SPACE = ': its quota is full';

/** The quota is full. The change may have been made: etcd checks its quota again while making it. */
export class QuotaFull extends Failed {}

/** Key and value are in base64. */
export interface KeyValue {
  readonly key: string;
  readonly value?: string;
  readonly mod_revision?: string;
}

/** The used parts of an answer to a range, a transaction, a login or a status. Numbers are strings. */
export interface EtcdAnswer {
  readonly kvs?: readonly KeyValue[];
  readonly more?: boolean;
  readonly count?: string;
  readonly succeeded?: boolean;
  readonly responses?: readonly { readonly response_range?: EtcdAnswer }[];
  readonly token?: string;
  readonly header?: { readonly member_id?: string };
  readonly version?: string;
  readonly leader?: string;
  readonly dbSize?: string;
}

/** Failed for anything but success. @throws TooMuch. */
export function answerOf(status: number, text: string): EtcdAnswer | Failed {
  const answer = objectIn(text);
  if (status === 200 && isObject(answer?.header) && isAnswer(answer)) return answer;
  return refusedBy(status, text);
}

/** The answer to a transaction contains the answers to its operations. */
function isAnswer(value: unknown): value is EtcdAnswer {
  if (!isObject(value)) return false;
  const { kvs = [], responses = [], response_range: range } = value;
  if (!Array.isArray(kvs) || !Array.isArray(responses)) return false;
  return kvs.every(isPair) && responses.every(isAnswer) && (range === undefined || isAnswer(range));
}

function isPair(value: unknown): value is KeyValue {
  return isObject(value) && isText(value.key) && isText(value.value ?? '');
}

function refusedBy(status: number, text: string): Failed {
  const { error, message: said = error } = objectIn(text) ?? {};
  const words = isObject(said) ? said.message : said;
  if (status === 200 || !isText(words)) {
    const why = `HTTP status ${status}, not from etcd: is this a proxy, or another server?`;
    return new Failed(why, isSettled(status) ? 'refused' : 'open');
  }
  const message = words.replace(/^etcdserver: /, '').slice(0, 200);
  if (/invalid auth token|auth token is not provided|auth revision/.test(message)) {
    // A token expires, or its member restarts: the next connection logs in again.
    return new Failed(message, 'undone');
  }
  if (/space exceeded/.test(message)) return new QuotaFull(message + NO_SPACE, 'refused');
  if (/no leader/.test(message)) return new Failed(message, 'undone');
  return new Failed(message, isSettled(status) ? 'refused' : 'open');
}

/**
 * What a watch says: new versions of lists, or, unnamed, anything else, such as a removed list or its own beginning. A commit
 * also removes the oldest version, at the same revision.
 *
 * @throws TooMuch.
 */
export function announcementIn(text: string, root: string): Announcement {
  const { result } = objectIn(text) ?? {};
  const events = isObject(result) && Array.isArray(result.events) ? result.events : [];
  const changes: Change[] = [];
  const revisions = new Set<number>();
  for (const { type, kv } of events.filter(isObject)) {
    if (!isObject(kv) || !isText(kv.key)) return 'unnamed';
    const revision = Number(kv.mod_revision);
    const of = versionOfKey(textIn(kv.key));
    if (type !== 'DELETE') {
      revisions.add(revision);
      if (of) changes.push({ key: of.list.slice(root.length), version: of.version, revision });
    } else if (!revisions.has(revision)) return 'unnamed';
  }
  return changes.length > 0 ? changes : 'unnamed';
}

/** True if this status means that the request was not carried out, and will not be. */
function isSettled(status: number): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 429;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseBounded(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof TooMuch) throw error;
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Version N has the key of this number minus N, so that the newest comes first in a range. */
const KEY_OF_VERSION = /^(.*)\/(\d{15})$/s;

/** @param prefix with the slash at its end. */
export function keyOfVersion(prefix: string, version: number): string {
  return prefix + String(LAST_VERSION - version).padStart(15, '0');
}

/** Undefined for a key that somebody else has made. */
export function versionOfKey(key: string): { list: string; version: number } | undefined {
  const [, list, number] = KEY_OF_VERSION.exec(key) ?? [];
  return list === undefined ? undefined : { list, version: LAST_VERSION - Number(number) };
}

export function versionIn({ key }: KeyValue): number {
  return versionOfKey(textIn(key))?.version ?? 0;
}

export function bytesIn({ value = '' }: KeyValue): Buffer {
  return Buffer.from(value, 'base64');
}

export function idIn(pair: KeyValue | undefined): string | undefined {
  const stored = pair && decodeContent(bytesIn(pair));
  return stored && 'id' in stored ? stored.id : undefined;
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

export function textIn(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

/** The end of the range of all keys with this prefix. */
export function afterAll(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
