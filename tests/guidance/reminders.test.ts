import { expect, test } from 'vitest';
import { agentSession } from './agent-session.ts';

const plan = ['[x] Find it', '[>] Fix it', '[ ] Run the tests'];
const reminder = `Note: no TodoWrite in the last 10 commands, 2 unfinished items are left. Update the list if it is out of date:
Note: [>] Fix it
Note: [ ] Run the tests`;
const idle = (count: number) =>
  `Note: ${count === 1 ? '1 item is' : `${count} items are`} open and none is in_progress. Mark the one that you work on.`;

test('after ten commands without a TodoWrite the unfinished items are brought to mind', async () => {
  const session = agentSession();
  await session.write(...plan);
  expect(await session.idle(10)).toEqual([[10, reminder]]);
});

test('the same list is never brought to mind twice', async () => {
  const session = agentSession();
  await session.write(...plan);
  await session.idle(10);
  expect(await session.idle(100)).toEqual([]);
  await session.write(...plan);
  expect(await session.idle(100)).toEqual([]);
});

test('a changed list is, after as many commands again', async () => {
  const session = agentSession();
  await session.write(...plan);
  await session.idle(10);
  await session.write('[x] Find it', '[x] Fix it', '[>] Run the tests');
  expect(await session.idle(30)).toEqual([
    [10, expect.stringContaining('1 unfinished item is left')],
  ]);
});

test('each TodoWrite starts the count anew, inside a longer line too', async () => {
  const session = agentSession();
  await session.write(...plan);
  expect(await session.idle(9)).toEqual([]);
  await session.write(...plan);
  expect(await session.idle(9)).toEqual([]);
  const list = session.store.get().items;
  await session.run('npm run build && TodoWrite "$(cat plan.json)"', { list });
  expect(await session.idle(9)).toEqual([]);
  expect(await session.idle(1)).toEqual([[1, reminder]]);
});

test('a list that the host replaces starts the count anew as well', async () => {
  const session = agentSession();
  await session.write(...plan);
  await session.idle(9);
  session.store.update(session.store.get().items);
  expect(await session.idle(9)).toEqual([]);
});

test('TodoRead and a refused TodoWrite are commands like others', async () => {
  const session = agentSession();
  await session.write(...plan);
  await session.idle(8);
  expect((await session.router.route('TodoRead')).reminders).toBeUndefined();
  const refused = await session.router.route('TodoWrite nonsense');
  expect(refused).toMatchObject({ exitCode: 1, reminders: [reminder] });
});

test('five items are listed and the others counted, in six lines', async () => {
  const session = agentSession();
  await session.write('[>] a', '[ ] b', '[ ] c', '[ ] d', '[ ] e', '[ ] f', '[ ] g', '[x] h');
  const [[, text = ''] = []] = await session.idle(10);
  expect(text.split('\n')).toEqual([
    'Note: no TodoWrite in the last 10 commands, 7 unfinished items are left. Update the list if it is out of date:',
    'Note: [>] a',
    'Note: [ ] b',
    'Note: [ ] c',
    'Note: [ ] d',
    'Note: [ ] e ... and 2 more',
  ]);
});

test.each([
  ['an empty list', []],
  ['a finished list', ['[x] Find it', '[x] Fix it', '[x] Run the tests']],
])('never of %s', async (_, list) => {
  const session = agentSession();
  await session.write(...list);
  expect(await session.idle(50)).toEqual([]);
});

test('never where no list was written', async () => {
  expect(await agentSession().idle(50)).toEqual([]);
});

test('after how many commands is a setting', async () => {
  const session = agentSession({ settings: () => ({ guidance: 'all', reminderTurns: 3 }) });
  await session.write(...plan);
  expect(await session.idle(20)).toEqual([[3, reminder.replace('10', '3')]]);
});

test('open items of which none is in progress are mentioned after five commands, once', async () => {
  const session = agentSession();
  await session.write('[ ] a', '[ ] b');
  expect(await session.idle(9)).toEqual([[5, idle(2)]]);
  await session.write('[x] a', '[ ] b');
  expect(await session.idle(9)).toEqual([[5, idle(1)]]);
});

test('they are not where one is in progress', async () => {
  const session = agentSession();
  await session.write(...plan);
  expect(await session.idle(9)).toEqual([]);
});

test('a reminder leaves what the line printed as it is', async () => {
  const session = agentSession();
  await session.write(...plan);
  await session.idle(9);
  expect(await session.run('printf out; false', { stdout: 'out', exitCode: 1 })).toEqual({
    type: 'native_shell_command',
    stdout: 'out',
    stderr: '',
    exitCode: 1,
    reminders: [reminder],
  });
});
