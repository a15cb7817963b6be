import { missingEvidence } from './evidence.ts';
import {
  droppedItems,
  nothingInProgress,
  skippedItems,
  staleList,
  uncheckedFinish,
} from './list-rules.ts';
import type { GuidanceRule, Work } from './rule.ts';
import { TEXTS } from './texts.ts';

/** The rules that hold unless a host gives others, in the order in which they speak. docs/guidance.md explains each. */
export const GUIDANCE_RULES: readonly GuidanceRule[] = [
  rule('dropped-items', 'note', droppedItems, TEXTS.droppedItems),
  rule('no-check', 'note', uncheckedFinish, TEXTS.noCheck),
  rule('skipped-items', 'note', skippedItems, TEXTS.skippedItems),
  rule('missing-evidence', 'note', missingEvidence, TEXTS.missingEvidence),
  rule('nothing-in-progress', 'reminder', nothingInProgress, TEXTS.nothingInProgress),
  rule('stale-list', 'reminder', staleList, TEXTS.staleList),
];

function rule<Finding>(
  name: string,
  kind: GuidanceRule['kind'],
  find: (work: Work) => Finding | undefined,
  text: (finding: Finding) => string | readonly string[],
): GuidanceRule {
  return {
    name,
    kind,
    say: (work) => {
      const finding = find(work);
      return finding === undefined ? undefined : text(finding);
    },
  };
}
