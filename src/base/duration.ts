export const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** A hundred years. */
const LONGEST_MS = 36_500 * UNIT_MS.d;

/** `30m` as milliseconds; accepts s, m, h and d. Returns undefined for anything else. */
export function parseDuration(given: string): number | undefined {
  const [, digits = '', unit = ''] = /^\s*(\d{1,9})\s*([smhd])\s*$/.exec(given) ?? [];
  const ms = Number(digits) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? 0);
  return ms > 0 && ms <= LONGEST_MS ? ms : undefined;
}

/** `90s`, `30m`, `8h`, `2d`: below two of a unit in the next smaller one. */
export function durationText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.round(hours / 24)}d`;
}

/** `4s ago`, `3m ago`, `2h ago`, `5d ago`; with the unit after which it changes, in milliseconds. */
export function timeAgo(elapsed: number): { readonly text: string; readonly unit: number } {
  const { m, h, d } = UNIT_MS;
  const name = elapsed < m ? 's' : elapsed < h ? 'm' : elapsed < 2 * d ? 'h' : 'd';
  const unit = UNIT_MS[name];
  return { text: `${Math.max(0, Math.floor(elapsed / unit))}${name} ago`, unit };
}
