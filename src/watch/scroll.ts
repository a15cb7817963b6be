import type { Line } from './lines.ts';

/** Blocks of lines to scroll through, and the one that must be visible. */
export interface Body {
  readonly blocks: readonly (readonly Line[])[];
  /** Undefined if nothing is selected: then only `top` counts. */
  readonly focus?: number | undefined;
  /** Whether the focus moves by itself; then it is shown with lines around it. */
  readonly follows?: boolean;
}

/** The visible part of a body. */
export interface Sight {
  readonly lines: readonly Line[];
  /** The line at the top. */
  readonly top: number;
  /** How many blocks are hidden, fully or in part. */
  readonly above: number;
  readonly below: number;
  /** Whether the selected block continues off screen. */
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
      // Never cut a block at the top, even if rows at the bottom stay empty.
      const middle = Math.min(Math.floor((start + end - height) / 2), most);
      first = end - start < height ? (starts.find((at) => at >= middle) ?? 0) : start;
    }
    // The first bound is for a block that fits, the second for one taller than the screen.
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
