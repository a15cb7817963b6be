import { expect, test } from 'vitest';
import { ok } from '../helpers/replies.ts';
import { invalid, Team } from './team.ts';

test('bad fields: all at once, and nothing is created', async () => {
  const team = new Team();
  const bad = [
    { subject: ' ', description: 7, foo: 1 },
    { subject: 'x'.repeat(201), blockedBy: [0, 'a\u001b', 1.5], owner: '' },
    'text',
    { metadata: [] },
  ];
  expect(await team.call('TaskCreate', [JSON.stringify(bad)])).toEqual(
    invalid(
      '[0].subject: Cannot be blank',
      '[0].description: Expected string, received number',
      "[0]: Unrecognized key 'foo'",
      '[1].subject: Must be at most 200 characters, received 201',
      '[1].owner: Cannot be blank',
      '[1].blockedBy[0]: Expected a task id such as 3, received 0',
      "[1].blockedBy[1]: Expected a task id such as 3, received 'a␛'",
      '[1].blockedBy[2]: Expected a task id such as 3, received 1.5',
      '[2]: Expected object, received string',
      '[3].subject: Required',
      '[3].metadata: Expected object, received array',
    ),
  );
  expect(await team.run('TaskList')).toEqual(ok('No tasks.\n'));
});

test('a number in metadata that would be stored with other digits is refused', async () => {
  const team = new Team();
  const create = (id: string) =>
    team.call('TaskCreate', [`{"subject":"A","metadata":{"ids":[${id}]}}`]);
  for (const id of ['1234567890123456789', '-9007199254740992', '1e400']) {
    expect(await create(id)).toEqual(
      invalid(
        'metadata: Numbers above 9007199254740991 would lose digits; write them as text, in double quotes',
      ),
    );
  }
  for (const id of ['9007199254740991', '"1234567890123456789"', '0.1']) await create(id);
  const [one, two] = JSON.parse(await team.out('TaskList --json')).tasks;
  expect([one.metadata, two.metadata]).toEqual([
    { ids: [9007199254740991] },
    { ids: ['1234567890123456789'] },
  ]);
});

test.each(['30', '0m', '-5m', '1.5h', '40000d', ''])('a lease of %j is no lease', async (lease) => {
  const team = new Team();
  await team.run('TaskCreate --subject A');
  const result = await team.call('TaskClaim', ['1', '--agent', 'a', '--lease', lease]);
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toMatch(/^Error: --lease needs a time such as 90s, 30m or 8h, or off/);
  expect((await team.run('TaskClaim 1 --agent a --lease off')).exitCode).toBe(0);
});
