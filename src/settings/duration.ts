const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 365 * 86_400_000;

/** `30m` as milliseconds; s, m, h and d are understood. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^\s*(\d{1,9})\s*([smhd])\s*$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? 0);
  return ms > 0 && ms <= LONGEST_MS ? ms : undefined;
}
