import { droppedItems, skippedItems, uncheckedFinish } from './list-rules.ts';
import { type GuidanceRule, rule } from './rule.ts';
import { TEXTS } from './texts.ts';

/** The rules that need only the list, before and after: everything that can be said where no session sees the commands. */
export const LIST_NOTES: readonly GuidanceRule[] = [
  rule('dropped-items', 'note', droppedItems, TEXTS.droppedItems),
  rule('no-check', 'note', uncheckedFinish, TEXTS.noCheck),
  rule('skipped-items', 'note', skippedItems, TEXTS.skippedItems),
];
