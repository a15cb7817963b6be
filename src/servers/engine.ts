import { notKnown, StateError } from '../base/command/state-error.ts';
import { clockMs, inTime, limitChange, pause } from '../base/command/time-limit.ts';
import type { HistoryRange } from '../lists/place.ts';
import { type Connection, Failed, NO_ANSWER } from './connection.ts';
import type { Announcements, Watermark } from './version-watch.ts';

export interface StoredOnServer {
  readonly version: number;
  readonly bytes: Buffer;
}

export interface NewVersion {
  /** The version that it replaces. */
  readonly base: number;
  readonly bytes: Buffer;
  /** Unique: a writer whose answer was lost recognizes its version by it on a retry. */
  readonly id: string;
  /** How many versions to keep, this one included. */
  readonly history: number;
}

/** Why it is unknown whether a change was made. */
export interface Doubt {
  readonly reason: string;
}

/** A request reads, makes a change, or resolves a doubt about one, which stays if this fails. */
export type Purpose = 'read' | 'change' | Doubt;

/** With a doubt if an earlier try of the same request may have been carried out, too. */
export interface ServerAnswer<T> {
  readonly answer: T;
  readonly doubt: Doubt | undefined;
}

const NO_TIME = 'the time limit of this command is used up; TODO_STATE_TIMEOUT sets it';
const SERVER_PAUSE_MS = 100;

export interface EngineServers {
  /** `host:port` of each. */
  readonly hosts: readonly string[];
  /** The time limit, in milliseconds, of a request outside of any command, including retries. */
  readonly timeoutMs: number;
}

/**
 * Servers with versions of lists, of which any may answer, and the connections to the current one. A list has a key, such as
 * `todos/SESSION/AGENT`; a prefix ends in a slash and means all lists below it. All promises may reject with a StateError.
 */
export abstract class Engine<C extends Connection<unknown> = Connection<unknown>> {
  /** Kind and address, without secrets. */
  readonly name: string;
  readonly hosts: readonly string[];
  /** Milliseconds. */
  readonly tryMs: number;
  /** Nothing is retried. */
  isClosed = false;
  readonly #timeoutMs: number;
  readonly #connect: (address: string) => C;
  #connections: C[] = [];
  #current = 0;
  /** Why there was no answer so far; a request that is left no time has none of its own. */
  #trouble: string | undefined;

  /** @param tryMs how long one of several servers may take before the next one is tried. */
  constructor(
    name: string,
    { hosts, timeoutMs }: EngineServers,
    tryMs: number,
    connect: (address: string) => C,
  ) {
    this.name = name;
    this.hosts = hosts;
    this.tryMs = hosts.length > 1 ? tryMs : timeoutMs;
    this.#timeoutMs = timeoutMs;
    this.#connect = connect;
  }

  /** The server's name and the list's, for errors. */
  abstract where(key: string): string;

  /** Newest first. */
  abstract read(key: string, range: HistoryRange): Promise<StoredOnServer[]>;

  /** 0 if there is none. */
  abstract newest(key: string): Promise<number>;

  /** Stores the version after `base`. Returns false if `base` is not the newest. */
  abstract commit(key: string, version: NewVersion): Promise<boolean>;

  /** With the newest version of each. */
  abstract lists(prefix: string): Promise<{ readonly key: string; readonly version: number }[]>;

  /** Distinguishes one state of all lists below a prefix from another. */
  abstract lastChange(prefix: string): Promise<Watermark>;

  /** Announces changes below a prefix. */
  abstract announcements(prefix: string): Announcements;

  /** Creates what the engine needs before the first list. */
  abstract init(): Promise<void>;

  /** Changes nothing. @throws StateError if a list of this key could not be written. */
  abstract probeWriting(key: string): Promise<void>;

  /** A report on its servers, one line each. */
  abstract status(): Promise<string[]>;

  get current(): string {
    return this.hosts[this.#current] as string;
  }

  /** Does nothing if another request has turned already. */
  turnFrom(host: string): void {
    if (this.current === host) this.#current = (this.#current + 1) % this.hosts.length;
  }

  /** Pending requests fail. */
  close(): void {
    this.isClosed = true;
    for (const connection of this.#connections) connection.end();
  }

  /** The request's own work counts as time of the command. @param request receives its deadline. */
  timed<T>(request: (deadline: number) => Promise<T>): Promise<T> {
    return inTime(this.#timeoutMs, request);
  }

  /** Limits the time of all requests of a change, unless its command has a limit. */
  limited<T>(change: () => Promise<T>): Promise<T> {
    return limitChange(this.#timeoutMs, change);
  }

  /**
   * Asks one server after the other until one answers or time is up.
   *
   * @param request makes one try; throws Failed.
   * @throws StateError if no server answers in time, or one refuses; it says whether anything can have been changed.
   */
  ask<T>(purpose: Purpose, request: (connection: C) => Promise<T>): Promise<ServerAnswer<T>> {
    return this.timed((deadline) => this.#askUntil(deadline, purpose, request));
  }

  async #askUntil<T>(
    deadline: number,
    purpose: Purpose,
    request: (connection: C) => Promise<T>,
  ): Promise<ServerAnswer<T>> {
    let doubt = typeof purpose === 'object' ? purpose : undefined;
    let reason = doubt?.reason;
    for (let tries = 1; ; tries++) {
      const { current } = this;
      const left = deadline - clockMs();
      // A try with hardly any time would only leave its outcome open.
      if (this.isClosed || left < 2 * SERVER_PAUSE_MS) {
        throw this.#error(purpose, reason ?? this.#trouble ?? NO_TIME, doubt);
      }
      try {
        const answer = await this.#try(purpose, Math.min(left, this.tryMs), request);
        this.#trouble = undefined;
        return { answer, doubt };
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        if (error.outcome === 'refused') throw this.#error(purpose, error.message, doubt, error);
        // A last try without enough time is not the reason.
        if (error.message !== NO_ANSWER || reason === undefined) reason = error.message;
        this.#trouble = reason;
        if (error.outcome !== 'undone' || doubt) doubt = { reason };
        if (error.outcome === 'hopeless') throw this.#error(purpose, reason, doubt);
      }
      this.turnFrom(current);
      // All were tried; another one may be about to take over.
      if (tries % this.hosts.length === 0) await pause(SERVER_PAUSE_MS);
    }
  }

  async #try<T>(
    purpose: Purpose,
    limitMs: number,
    request: (connection: C) => Promise<T>,
  ): Promise<T> {
    const connection = this.#connection();
    const isChange = purpose !== 'read';
    connection.isChanging = isChange;
    try {
      return await connection.within(limitMs, () => request(connection));
    } catch (error) {
      // The connection may be dead; others that wait on it would wait as long. They fail for the same reason.
      if (!(error instanceof Failed)) connection.end();
      else if (error.outcome !== 'refused') connection.end(error.message);
      throw error;
    } finally {
      if (isChange) connection.isChanging = false;
    }
  }

  #connection(): C {
    const { current } = this;
    for (const old of this.#connections) if (old.address !== current) old.end(NO_ANSWER);
    this.#connections = this.#connections.filter(({ hasEnded }) => !hasEnded);
    const free = this.#connections.find(({ isChanging }) => !isChanging);
    if (free) return free;
    const connection = this.#connect(current);
    this.#connections.push(connection);
    return connection;
  }

  #error(purpose: Purpose, reason: string, doubt: Doubt | undefined, refusal?: Failed): StateError {
    const isOfReading = purpose === 'read';
    if (doubt && !isOfReading) return notKnown(`${this.name}: ${reason}`);
    const what = refusal
      ? `${this.name} refused`
      : `cannot ${isOfReading ? 'read from' : 'write to'} ${this.name}`;
    const ending = isOfReading ? '' : '; nothing was changed';
    return new StateError(`${what}: ${reason}${ending}`, {
      isOfReading,
      ...(refusal && { cause: refusal }),
    });
  }
}

/** For a change whose version was removed before its writer could ask for it. */
export function changedTooOften(name: string): StateError {
  return notKnown(`${name} did not answer, and others have changed the list too often since`);
}
