import { failedChecks } from './failed-checks.ts';
import { LIST_NOTES } from './list-notes.ts';
import { noList, nothingInProgress, staleList } from './list-rules.ts';
import { type GuidanceRule, rule } from './rule.ts';
import { TASK_RULES } from './task-rules.ts';
import { TEXTS } from './texts.ts';

/** The rules that need to see which commands ran. */
export const LINE_RULES: readonly GuidanceRule[] = [
  rule('failed-check', 'note', failedChecks, TEXTS.failedChecks),
  rule('nothing-in-progress', 'reminder', nothingInProgress, TEXTS.nothingInProgress),
  rule('stale-list', 'reminder', staleList, TEXTS.staleList, { times: 3 }),
  rule('no-list', 'reminder', noList, TEXTS.noList),
];

/** All rules of a session, in the order in which they speak. docs/guidance.md explains each. */
export const GUIDANCE_RULES: readonly GuidanceRule[] = [
  ...LIST_NOTES,
  ...LINE_RULES,
  ...TASK_RULES,
];
