import type { IncomingMessage } from 'node:http';
import { StateError } from '../state-error.ts';

export const NO_SPACE = ': its quota is full';

/** The quota is full. A change may have been made all the same: etcd looks at its quota again while it makes it. */
export class QuotaFull extends StateError {}

/** There was no connection to send the request over. */
export class NeverSent extends Error {}

/** A member answered with an error. */
export class Refused extends Error {
  /** No other member will say anything else. */
  readonly isFinal: boolean;
  /** Whether the request was certainly not carried out. */
  readonly isUndone: boolean;
  readonly isTokenOld: boolean;

  constructor(message: string, kind: 'final' | 'undone' | 'unknown', isTokenOld = false) {
    super(message);
    this.isFinal = kind === 'final';
    this.isUndone = kind !== 'unknown';
    this.isTokenOld = isTokenOld;
  }
}

/** What a member answered to a call. @throws Refused for anything but success. */
export function answerOf<T>(status: number | undefined, text: string): T {
  const answer = objectIn(text);
  if (status === 200 && isObject(answer?.header)) return answer as T;
  throw refusedBy(status, text);
}

/** What a member meant by an answer that is none of success. */
export function refusedBy(status: number | undefined, text: string): Refused {
  const { error, message: said = error } = objectIn(text) ?? {};
  const words = isObject(said) ? said.message : said;
  if (status === 200 || typeof words !== 'string') {
    const why = `HTTP status ${status}, not in etcd's words: is that a proxy, or another server?`;
    return new Refused(why, isSettled(status) ? 'final' : 'unknown');
  }
  const message = words.replace(/^etcdserver: /, '').slice(0, 200);
  if (/invalid auth token|auth token is not provided|auth revision/.test(message)) {
    return new Refused(message, 'undone', true);
  }
  if (/space exceeded/.test(message)) return new Refused(message + NO_SPACE, 'final');
  if (/no leader/.test(message)) return new Refused(message, 'undone');
  return new Refused(message, isSettled(status) ? 'final' : 'unknown');
}

/** Whether a status says that the request was not carried out, and will not be. */
function isSettled(status = 0): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 429;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** All of an answer. */
export async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
