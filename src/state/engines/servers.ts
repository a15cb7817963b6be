import { notKnown, StateError } from '../state-error.ts';
import { inTime, pause } from '../time-limit.ts';

/** Why one try of a request failed. */
export class Failed extends Error {
  /**
   * `refused`: nothing was done, and a retry will not help. `undone`: nothing was done. `open`: it may have been carried
   * out. `hopeless`: the same, and a retry will not help.
   */
  readonly outcome: 'refused' | 'undone' | 'open' | 'hopeless';

  constructor(message: string, outcome: Failed['outcome']) {
    super(message);
    this.outcome = outcome;
  }
}

/** Why it is unknown whether a change was made. */
export interface Doubt {
  readonly reason: string;
}

/** A request reads, makes a change, or resolves a doubt about one, which stays if this fails. */
export type Purpose = 'read' | 'change' | Doubt;

/** With a doubt if an earlier try of the same request may have been carried out, too. */
export interface Answer<T> {
  readonly answer: T;
  readonly doubt: Doubt | undefined;
}

/** TLS errors that no retry fixes: one side does not trust the other's certificate. */
export const UNTRUSTED = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;
export const NO_ANSWER = 'no answer in time';
const NO_TIME = 'the time limit of this command is used up; TODO_STATE_TIMEOUT sets it';
const PAUSE_MS = 100;

/** The servers of one engine, of which any may answer. */
export class Servers {
  /** For errors, without secrets. */
  readonly name: string;
  /** `host:port` of each. */
  readonly all: readonly string[];
  /** Milliseconds. */
  readonly tryMs: number;
  /** Pending requests fail, and nothing is retried. */
  isClosed = false;
  readonly #timeoutMs: number;
  #current = 0;

  /**
   * @param tryMs how long one of several servers may take before the next one is tried.
   * @param timeoutMs for a request outside of any command, including retries.
   */
  constructor(name: string, all: readonly string[], tryMs: number, timeoutMs: number) {
    this.name = name;
    this.all = all;
    this.tryMs = all.length > 1 ? tryMs : timeoutMs;
    this.#timeoutMs = timeoutMs;
  }

  get current(): string {
    return this.all[this.#current] as string;
  }

  turnToNext(): void {
    this.#current = (this.#current + 1) % this.all.length;
  }

  /**
   * Asks one server after the other until one answers or time is up.
   *
   * @param attempt makes one try at the current server, within so many milliseconds; throws Failed.
   * @throws StateError if no server answers in time, or one refuses; it says whether anything can have been changed.
   */
  ask<T>(purpose: Purpose, attempt: (limitMs: number) => Promise<T>): Promise<Answer<T>> {
    return inTime(this.#timeoutMs, async (deadline) => {
      let doubt = typeof purpose === 'object' ? purpose : undefined;
      let { reason } = doubt ?? { reason: NO_TIME };
      for (let tries = 1; ; tries++) {
        const left = deadline - performance.now();
        // A try with hardly any time would only leave its outcome open.
        if (this.isClosed || left < 2 * PAUSE_MS) throw this.#unanswered(purpose, reason, doubt);
        try {
          const answer = await attempt(Math.min(left, this.tryMs));
          return { answer, doubt };
        } catch (error) {
          if (!(error instanceof Failed)) throw error;
          if (error.outcome === 'refused') throw this.#refused(purpose, error, doubt);
          // A last try without enough time is not the reason.
          if (error.message !== NO_ANSWER || reason === NO_TIME) reason = error.message;
          if (error.outcome !== 'undone' || doubt) doubt = { reason };
          if (error.outcome === 'hopeless') throw this.#unanswered(purpose, reason, doubt);
          this.turnToNext();
          // All were tried; another one may be about to take over.
          if (tries % this.all.length === 0) await pause(PAUSE_MS);
        }
      }
    });
  }

  #unanswered(purpose: Purpose, reason: string, doubt: Doubt | undefined): StateError {
    if (purpose === 'read') {
      return new StateError(`cannot read from ${this.name}: ${reason}`, { isOfReading: true });
    }
    if (doubt) return notKnown(`${this.name}: ${reason}`);
    return new StateError(`cannot reach ${this.name}: ${reason}; nothing was changed`);
  }

  #refused(purpose: Purpose, cause: Failed, doubt: Doubt | undefined): StateError {
    const isOfReading = purpose === 'read';
    if (doubt && !isOfReading) return notKnown(`${this.name}: ${cause.message}`);
    const ending = isOfReading ? '' : '; nothing was changed';
    return new StateError(`${this.name} refused: ${cause.message}${ending}`, {
      isOfReading,
      cause,
    });
  }
}

/** For a change whose version was removed before its writer could ask for it. */
export function changedTooOften(name: string): StateError {
  return notKnown(`${name} did not answer, and others have changed the list too often since`);
}
