import { expect, test } from 'vitest';
import {
  agentName,
  factsOf,
  rowLines,
  sessionName,
  shortNames,
  shownItem,
  shownTask,
  textOfRow,
} from '../../../src/screen/panel/look.ts';
import { createTheme } from '../../../src/screen/panel/theme.ts';
import { todos } from './todos.ts';

const theme = createTheme({ unicode: true });
const NO_LINKS = { blockedBy: [], blocks: [] };

/** The rows of a pending item with these facts, as texts. */
const rows = (text: string, columns: number, facts: readonly string[], more = {}) =>
  todos(`- ${text}`)
    .flatMap((item) => rowLines(shownItem(item), { theme, columns, facts, ...more }))
    .map((row) => row.text.trimEnd());

test.each([
  ['/home/ann/work/app', ['app', '/home/ann/work']],
  ['/app', ['app', '/']],
  ['/', ['/', '']],
  ['nightly', ['nightly', '']],
])('the session %s is shown as its last folder and where that is', (session, shown) => {
  expect(sessionName(session)).toEqual(shown);
});

test.each([
  ['main@11111111-aaaa-4bbb-8ccc-123456789abc', 'Claude 1111'],
  ['main@01999999-aaaa-7bbb-8ccc-12345678fedc', 'Codex fedc'],
  ['main@ses_4a5b6c7d8e9fghij', 'opencode ghij'],
  ['reviewer@11111111-aaaa-4bbb-8ccc-123456789abc', 'reviewer 1111'],
  ['reviewer@home', 'reviewer@home'],
  ['ann', 'ann'],
])('the agent %s is %s', (agent, name) => {
  expect(agentName(agent)).toBe(name);
});

test('facts stand at the right end, as many as fit into half of the row, one column from the text', () => {
  expect(rows('Ship it', 21, ['ann', '2m'])).toEqual(['○ Ship it    ann · 2m']);
  expect(rows('Ship it', 20, ['ann', '2m'])).toEqual(['○ Ship it   ann · 2m']);
  expect(rows('Ship it', 18, ['ann', '2m'])).toEqual(['○ Ship it      ann']);
  expect(rows('Ship all of it', 20, ['ann'])).toEqual(['○ Ship all of it ann']);
  expect(rows('Ship all of it!', 20, ['ann'])).toEqual(['○ Ship all of    ann', '  it!']);
  expect(rows('Ship it', 8, ['annabel'])).toEqual(['○ Ship', '  it']);
});

test('facts below the text have rows of their own, indented by two more columns', () => {
  expect(rows('Ship it', 12, ['ann', '2m', 'high'], { factsBelow: true })).toEqual([
    '○ Ship it',
    '    ann · 2m',
    '    · high',
  ]);
  expect(rows('S', 4, ['ab'], { factsBelow: true })).toEqual(['○ S', '   a', '   b']);
});

test('texts for people have short names of agents, but their calls the whole ones', () => {
  const agent = 'main@11111111-aaaa-4bbb-8ccc-123456789abc';
  const note = `repeat --agent ${agent} in these calls`;
  expect(shortNames(`#1 (${agent}) by ${agent}\n'${agent}' ${note}`)).toBe(
    `#1 (Claude 1111) by Claude 1111\n'Claude 1111' ${note}`,
  );
});

test.each(['Testing', 'Testing...', 'Testing…', 'Testing.', 'Testing ...'])(
  'what is in progress ends with three dots, also as %s',
  (activeForm) => {
    const [item] = todos('> Test').map((one) => ({ ...one, activeForm }));
    expect(item && textOfRow(shownItem(item))).toBe('Testing...');
  },
);

test('of a row without room only the mark is left', () => {
  expect([rows('Ship', 2, []), rows('Ship', 3, [])]).toEqual([['○'], ['○ S', '  h', '  i', '  p']]);
});

test('a text of more rows than allowed ends with an ellipsis', () => {
  expect(rows('one two three four', 10, [], { most: 2 })).toEqual(['○ one two', '  three f…']);
});

test('a completed task has no links and no priority, a medium priority is not named', () => {
  const links = { blockedBy: [2], blocks: [3, 4] };
  const task = {
    id: 1,
    subject: 'Ship',
    priority: 'high',
    owner: 'ann',
    status: 'pending',
  } as const;
  expect(factsOf(shownTask(task, links), '2m')).toEqual([
    'ann',
    '2m',
    'high',
    'blocked by #2',
    'blocks #3, #4',
  ]);
  expect(factsOf(shownTask({ ...task, status: 'completed' }, links), '2m')).toEqual(['ann', '2m']);
  expect(factsOf(shownTask({ ...task, priority: 'medium' }, NO_LINKS))).toEqual(['ann']);
});
