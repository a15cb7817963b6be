import { timeAgo, UNIT_MS } from '../../base/duration.ts';

/** A change of status is highlighted for this long. */
const FRESH_MS = 2000;

/** Formats times at one moment, and finds out when the first of them will change. */
export class ShownTimes {
  readonly now: number;
  #untilChange = Number.POSITIVE_INFINITY;

  /** @param now in milliseconds since 1970. */
  constructor(now: number) {
    this.now = now;
  }

  /** Milliseconds until one of the formatted times changes; infinite if none will. */
  get untilChange(): number {
    return this.#untilChange;
  }

  /** `42s`, `3m 05s`, `2h 07m`, `5d 04h` */
  running(since: number): string {
    return formatElapsed(this.elapsed(since));
  }

  /** In milliseconds. */
  elapsed(since: number | undefined): number {
    if (since === undefined) return 0;
    const elapsed = Math.max(0, this.now - since);
    this.#changes(elapsed, elapsed < UNIT_MS.h ? UNIT_MS.s : UNIT_MS.m);
    return elapsed;
  }

  /** True while a change is to be highlighted. */
  isFresh(changedAt: number | undefined): boolean {
    return changedAt !== undefined && !this.isPast(changedAt + FRESH_MS);
  }

  isPast(at: number): boolean {
    const left = at - this.now;
    if (left > 0) this.#untilChange = Math.min(this.#untilChange, left);
    return left <= 0;
  }

  lasted(milliseconds: number): string {
    return formatElapsed(Math.max(0, milliseconds));
  }

  /** `4s ago`, `3m ago`, `2h ago`, `5d ago` */
  ago(at: number): string {
    const elapsed = Math.max(0, this.now - at);
    const { text, unit } = timeAgo(elapsed);
    this.#changes(elapsed, unit);
    return text;
  }

  /** `14:05`, or the date if it was not today. */
  at(time: number): string {
    const date = new Date(time);
    return date.toDateString() === new Date(this.now).toDateString()
      ? `${two(date.getHours())}:${two(date.getMinutes())}`
      : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  }

  #changes(elapsed: number, step: number): void {
    this.#untilChange = Math.min(this.#untilChange, step - (elapsed % step));
  }
}

/** Empty below a second. */
export function shownElapsed(milliseconds: number): string {
  return milliseconds < UNIT_MS.s ? '' : formatElapsed(milliseconds);
}

export function formatElapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / UNIT_MS.s);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${seconds}s`;
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h ${two(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Tests have their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Does not keep the process alive. Returns a function that cancels the call. */
  after(milliseconds: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
