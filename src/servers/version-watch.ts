import { withoutTimeLimit, withTimeLimit } from '../base/command/time-limit.ts';

const LONGEST_LOOK_MS = 5000;

/** Distinguishes one state from another, such as the number of the newest version. */
export type Sighting = string | number;

/** How a server announces changes. */
export interface Bell {
  /** `isAsked` if something happened, false if it may have been missed. Returns a function that stops it. */
  listen(look: (isAsked: boolean) => unknown): () => void;
  /** The pause after a look before the next unasked one, depending on what this one found. */
  pauseMs(found: 'asked' | 'unasked' | undefined): number;
}

/**
 * Finds new versions by looking for them: when the server announces a change, and periodically, since a server that is cut
 * off announces nothing. Also reports when looking begins to fail, and when it works again.
 */
export class VersionWatch<Seen extends Sighting> {
  readonly #newest: () => Promise<Seen>;
  readonly #listener: () => void;
  readonly #bell: Bell;
  readonly #endBell: () => void;
  #seen: Seen;
  #timer: NodeJS.Timeout | undefined;
  /** The pending look; a newer one makes its answer obsolete. */
  #current: object | undefined;
  #isFailing = false;
  #hasEnded = false;

  /** @param known the state at the beginning, as far as known. */
  constructor(known: Seen, newest: () => Promise<Seen>, bell: Bell, listener: () => void) {
    this.#seen = known;
    this.#newest = newest;
    this.#bell = bell;
    this.#listener = () => withoutTimeLimit(listener);
    void this.#look(false);
    this.#endBell = bell.listen((isAsked) => this.#look(isAsked));
  }

  /** Reports a version that was committed here without looking; a pending look starts again. */
  committed(version: Seen): void {
    // A pending look may have seen and reported it.
    if (version !== this.#seen) {
      this.#seen = version;
      this.#listener();
    }
    if (this.#current) void this.#look(false);
  }

  end(): void {
    this.#hasEnded = true;
    this.#current = undefined;
    clearTimeout(this.#timer);
    this.#endBell();
  }

  /** @param isAsked whether the server announced a change. */
  async #look(isAsked: boolean): Promise<void> {
    if (this.#hasEnded) return;
    clearTimeout(this.#timer);
    const look = {};
    this.#current = look;
    let version = this.#seen;
    let isFailing = false;
    try {
      // It may outlive the command that began to watch.
      version = await withTimeLimit(LONGEST_LOOK_MS, this.#newest);
    } catch {
      // Readers of the list get the error; the next look may succeed.
      isFailing = true;
    }
    if (look !== this.#current) return;
    this.#current = undefined;
    const isNews = version !== this.#seen || isFailing !== this.#isFailing;
    this.#isFailing = isFailing;
    const found = version === this.#seen ? undefined : isAsked ? 'asked' : 'unasked';
    this.#seen = version;
    const wait = this.#bell.pauseMs(found);
    this.#timer = setTimeout(() => void this.#look(false), wait).unref();
    if (isNews) this.#listener();
  }
}
