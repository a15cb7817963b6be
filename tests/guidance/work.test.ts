import { expect, test } from 'vitest';
import { agentSession } from './agent-session.ts';

const plan = ['[x] Find it', '[>] Fix it', '[ ] Run the tests'];
const reminder = expect.stringMatching(/^Note: 10 commands since the last TodoWrite; 2 items /);

test('each TodoWrite starts the count anew, inside a longer line too, and so does a list that the host replaces', async () => {
  const session = agentSession();
  await session.write(...plan);
  expect(await session.idle(9)).toEqual([]);
  await session.write(...plan);
  expect(await session.idle(9)).toEqual([]);
  const list = session.store.get().items;
  await session.run('npm run build && TodoWrite "$(cat plan.json)"', { list });
  expect(await session.idle(9)).toEqual([]);
  expect(await session.idle(1)).toEqual([[1, reminder]]);
  session.store.update(list);
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
