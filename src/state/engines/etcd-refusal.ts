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

/** What a member meant by an answer whose status is not 200. */
export function refusedBy(status: number | undefined, text: string): Refused {
  let message = text;
  try {
    const { error, message: said = error } = JSON.parse(text);
    if (typeof said === 'string') message = said;
    else if (typeof said?.message === 'string') message = said.message;
  } catch {
    // A proxy's page, perhaps; its beginning will do.
  }
  message = message.replace(/^etcdserver: /, '').slice(0, 200) || `HTTP status ${status}`;
  if (/invalid auth token|auth token is not provided|auth revision/.test(message)) {
    return new Refused(message, 'undone', true);
  }
  if (/space exceeded/.test(message)) return new Refused(message + NO_SPACE, 'final');
  if (/no leader/.test(message)) return new Refused(message, 'undone');
  const isSettled =
    status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
  return new Refused(message, isSettled ? 'final' : 'unknown');
}

/** All of an answer. */
export async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
