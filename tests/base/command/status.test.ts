import { expect, test } from 'vitest';
import {
  byNeed,
  doneOf,
  nextIndex,
  type Ranked,
  statusCounts,
} from '../../../src/base/command/status.ts';

const LOW: Ranked = { status: 'pending', priority: 'low' };
const PLAIN: Ranked = { status: 'pending' };
const HIGH: Ranked = { status: 'pending', priority: 'high' };
const BEGUN: Ranked = { status: 'in_progress' };
const FIRST: Ranked = { status: 'completed' };
const LAST: Ranked = { status: 'completed', priority: 'high' };

test('the first pending item of the highest priority is next; one without a priority is medium', () => {
  expect(nextIndex([LAST, BEGUN, LOW, PLAIN])).toBe(3);
  expect(nextIndex([LOW, HIGH, PLAIN, HIGH])).toBe(1);
  expect(nextIndex([LAST, BEGUN])).toBe(-1);
});

test('a short screen needs what is in progress, then pending by priority, then completed from the last', () => {
  const all = [FIRST, LOW, LAST, HIGH, BEGUN, PLAIN];
  expect(byNeed(all)).toEqual([BEGUN, HIGH, PLAIN, LOW, LAST, FIRST]);
});

test('counts name only statuses that there are, for people', () => {
  expect(doneOf([FIRST, LOW, LAST])).toBe(2);
  expect(statusCounts([LOW, FIRST, BEGUN, LAST])).toEqual([
    '2 completed',
    '1 in progress',
    '1 pending',
  ]);
  expect(statusCounts([BEGUN])).toEqual(['1 in progress']);
});
