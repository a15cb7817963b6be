import { expect, test } from 'vitest';
import { claimTask } from '../../src/tasks/claims.ts';
import { because } from '../../src/tasks/reasons.ts';
import { NO_TASKS, type TaskGraph } from '../../src/tasks/task.ts';
import { claimed, codes, completed, graphOf, LATER } from './tasks.ts';

const claim = (graph: TaskGraph, id: number | 'next', agent = 'a', checkBusy = false) =>
  claimTask(graph, id, { agent, checkBusy }, LATER);

test('every reason against a claim', () => {
  const graph = claimed(graphOf('One', { subject: 'Two', blockedBy: [1] }, 'Three'), 1, 'a');
  expect(codes(claim(graph, 9))).toBe('task_not_found');
  expect(claim(graph, 1, 'b')).toEqual({
    refused: [{ code: 'already_claimed', text: '#1 is claimed by a' }],
  });
  expect(codes(claim(completed(graph, 1), 1))).toBe('already_resolved');
  expect(claim(graph, 2)).toEqual({ refused: [{ code: 'blocked', text: '#2 is blocked by #1' }] });
  expect(claim(graph, 3, 'a', true)).toEqual({
    refused: [{ code: 'agent_busy', text: 'a is working on #1' }],
  });
  expect(codes(claim(graph, 2, 'a', true))).toBe('blocked, agent_busy');
  expect(codes(claim(graph, 1, 'a', true))).toBe('none');
  expect(codes(claim(graph, 3, 'a'))).toBe('none');
  expect(codes(claim(claimed(graph, 3, 'b'), 'next'))).toBe('nothing_ready');
  expect(codes(claim(NO_TASKS, 'next'))).toBe('nothing_ready');
  const held = claim(claimed(claimed(graph, 1, 'a'), 3, 'b'), 'next', 'c');
  expect(held).toMatchObject({
    refused: [
      {
        text: expect.stringMatching(
          /unowned; held: #1 by a since \S+, #3 by b since \S+\. If its owner has gone: TaskRelease 1$/,
        ),
      },
    ],
  });
});

test('a version that is no longer kept is told from one that never was, and from one that changed no task', () => {
  const problem = (version: number, kept: readonly number[]) =>
    because('no_such_version', version, kept, true).text;
  expect(problem(6, [9, 7, 5])).toBe('version 6 changed no task');
  for (const version of [4, 10])
    expect(problem(version, [9, 7, 5])).toBe(
      `there is no version ${version}: versions 5 to 9 are kept`,
    );
  expect(problem(1, [])).toBe('there is no version 1: the list was never written');
});
