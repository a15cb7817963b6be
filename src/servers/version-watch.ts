import { limitAnew, withoutTimeLimit } from '../base/command/time-limit.ts';
import { coalesced } from '../lists/coalesced.ts';

const LONGEST_LOOK_MS = 5000;

/** How far one list has changed, or all lists below a prefix. */
export interface Watermark {
  /** Grows with each change. */
  readonly newest: number;
  /** Distinguishes states with removed lists; undefined if it is not known. */
  readonly count?: number | undefined;
}

/** A new version that a server has announced. */
export interface Change {
  readonly key: string;
  readonly version: number;
  /** The server's number for it. */
  readonly revision: number;
}

/** The new versions, in order; or that something has changed, unnamed; or a gap, in which something may have been missed. */
export type Announcement = readonly Change[] | 'unnamed' | 'gap';

/** How a server announces changes. */
export interface Announcements {
  /** @returns a function that stops it. */
  listen(hear: (announced: Announcement) => void): () => void;
  /** Called if a look found a change that was not announced. */
  missed?(): unknown;
  /** The pauses between unasked looks, if the last change was announced and if it was not. */
  readonly pauseMs: { readonly heard: number; readonly missed: number };
}

/** What is watched, one list or all below a prefix, and how. */
export interface Watched {
  /** `newest` at the beginning, as far as known. */
  readonly known: number;
  /** Which number of a change is the `newest` of a watermark. */
  readonly number: 'version' | 'revision';
  readonly fetch: () => Promise<Watermark>;
  readonly announcements: Announcements;
}

/**
 * Finds new versions: as the server announces them, by looking for them when it announces another change, and periodically,
 * since a server that is cut off announces nothing. Also reports when looking begins to fail, and when it works again.
 */
export class VersionWatch {
  readonly #watched: Watched;
  readonly #listener: (changes?: readonly Change[]) => void;
  readonly #endAnnouncements: () => void;
  #seen: Watermark;
  /** Until the next look; undefined during one. */
  #timer: NodeJS.Timeout | undefined;
  readonly #look = coalesced(() => this.#lookOnce());
  /** Whether the server has announced a change since the last look began. */
  #isAsked = false;
  #isFailing = false;
  /** True if the last change was announced. */
  #hasHeard = false;
  #hasEnded = false;

  /** @param listener gets the new versions, if they are all there is. */
  constructor(watched: Watched, listener: (changes?: readonly Change[]) => void) {
    this.#watched = watched;
    this.#seen = { newest: watched.known };
    this.#listener = (changes) => withoutTimeLimit(() => listener(changes));
    void this.#look();
    this.#endAnnouncements = watched.announcements.listen((announced) => this.#heard(announced));
  }

  /** Reports a version that was committed here without looking; a pending look starts again. */
  committed(version: number): void {
    // A look may have seen and reported it.
    const isNews = version !== this.#seen.newest;
    this.#seen = { newest: version };
    if (isNews) this.#listener();
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#endAnnouncements();
  }

  #heard(announced: Announcement): void {
    if (typeof announced === 'string' || !this.#timer || this.#isFailing) {
      this.#isAsked ||= announced !== 'gap';
      void this.#look();
      return;
    }
    const newest = Math.max(...announced.map((change) => change[this.#watched.number]));
    if (this.#hasEnded || newest <= this.#seen.newest) return;
    this.#seen = { newest };
    this.#hasHeard = true;
    this.#lookLater();
    this.#listener(announced);
  }

  #lookLater(): void {
    clearTimeout(this.#timer);
    const { heard, missed } = this.#watched.announcements.pauseMs;
    this.#timer = setTimeout(() => void this.#look(), this.#hasHeard ? heard : missed).unref();
  }

  async #lookOnce(): Promise<void> {
    if (this.#hasEnded) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [before, isAsked] = [this.#seen, this.#isAsked];
    this.#isAsked = false;
    // It may outlive the command that began to watch. Readers of the list get the error; the next look may succeed.
    const now = await limitAnew(LONGEST_LOOK_MS, this.#watched.fetch).catch(() => undefined);
    if (this.#hasEnded) return;
    // A version that was committed here meanwhile may be newer.
    if (this.#seen === before) this.#saw(now, isAsked);
    else void this.#look();
  }

  /** @param found undefined if looking failed. */
  #saw(found: Watermark | undefined, isAsked: boolean): void {
    const [now, isFailing] = [found ?? this.#seen, found === undefined];
    // A list without a new version may have been removed.
    const isUncounted = isAsked && now.count !== undefined && this.#seen.count === undefined;
    const isNew = isUncounted || !isSame(now, this.#seen);
    const isNews = isNew || isFailing !== this.#isFailing;
    this.#isFailing = isFailing;
    this.#seen = now;
    if (isNew) this.#hasHeard = isAsked;
    if (isNew && !isAsked) this.#watched.announcements.missed?.();
    this.#lookLater();
    if (isNews) this.#listener();
  }
}

function isSame(a: Watermark, b: Watermark): boolean {
  const isCounted = a.count !== undefined && b.count !== undefined;
  return a.newest === b.newest && (!isCounted || a.count === b.count);
}
