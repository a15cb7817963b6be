import type { Line } from './lines.ts';

/** What there is to scroll through: blocks of lines, and the one that must be in sight. */
export interface Body {
  readonly blocks: readonly (readonly Line[])[];
  /** Undefined if nothing is chosen: then only `top` counts. */
  readonly focus?: number | undefined;
  /** Whether the focus moves by itself, so that it comes with lines above and below it. */
  readonly follows?: boolean;
}

/** The part of a body that is in sight. */
export interface Sight {
  readonly lines: readonly Line[];
  /** The line that is at the top. */
  readonly top: number;
  /** How many blocks are out of sight, fully or in part. */
  readonly above: number;
  readonly below: number;
  /** Whether the chosen block goes on out of sight. */
  readonly focusGoesUp: boolean;
  readonly focusGoesDown: boolean;
}

/** Scrolls from `top` no further than it must. */
export function sightOf({ blocks, focus, follows }: Body, height: number, top: number): Sight {
  const starts: number[] = [];
  let length = 0;
  for (const block of blocks) {
    starts.push(length);
    length += block.length;
  }
  const most = Math.max(0, length - height);
  const start = focus === undefined ? 0 : (starts[focus] ?? 0);
  const end = start + (focus === undefined ? 0 : (blocks[focus]?.length ?? 0));
  let first = Math.min(top, length - 1);
  if (focus !== undefined) {
    const isInSight = first <= start && end <= first + height;
    if (follows && !isInSight) {
      // No block is cut at the top, though that may leave rows at the end empty.
      const middle = Math.min(Math.floor((start + end - height) / 2), most);
      first = end - start < height ? (starts.find((at) => at >= middle) ?? 0) : start;
    }
    // The first bound is that of a block which fits, the second that of one which is longer than what is in sight.
    first = Math.max(first, Math.min(end - height, start));
    first = Math.min(first, Math.max(end - height, start));
  }
  if (!follows) first = Math.min(first, most);
  first = Math.max(0, first);
  const last = first + height;
  return {
    lines: blocks.flat().slice(first, last),
    top: first,
    above: starts.filter((at) => at < first).length,
    below: starts.filter((at, index) => at + (blocks[index]?.length ?? 0) > last).length,
    focusGoesUp: focus !== undefined && start < first,
    focusGoesDown: focus !== undefined && end > last,
  };
}
