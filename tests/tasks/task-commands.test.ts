import { expect, test } from 'vitest';
import { failed, ok } from '../helpers/replies.ts';
import { Team } from './team.ts';

const refused = (title: string, ...lines: string[]) =>
  failed(`Error: ${title}\n${lines.map((line) => `- ${line}\n`).join('')}`);
const invalid = (...lines: string[]) => refused('Validation failed', ...lines);
const BLANK_OWNER = 'owner: Cannot be blank; to clear the owner: TaskRelease ID';

test('the links of a completed task, which no longer matter, are not shown', async () => {
  const team = new Team({ settings: { agent: 'agent-1' } });
  await team.call('TaskCreate', ['[{"subject":"A","blockedBy":["b"]},{"subject":"B","ref":"b"}]']);
  await team.call('TaskUpdate', ['1', '--status', 'completed']);
  const { stdout } = await team.call('TaskList', []);
  expect(stdout).toBe('#1 [completed] A\n#2 [pending] B\n');
});

test('the words of every command', async () => {
  const team = new Team({ settings: { agent: 'agent-1' } });
  const two = '[{"subject":"Write docs","blockedBy":[1]},{"subject":"Ship","blockedBy":["#1"]}]';
  for (const [words, stdout, stderr = ''] of [
    ['TaskCreate|--subject|Fix login', 'Task #1 created: Fix login\n'],
    [`TaskCreate|${two}`, 'Task #2 created: Write docs\nTask #3 created: Ship\n'],
    ['TaskUpdate|3|--add-blocked-by|2', 'Updated task #3: blockedBy\n'],
    ['TaskClaim|--next', 'Task #1 claimed by agent-1: Fix login\n'],
    ['TaskClaim|1', 'Task #1 claimed by agent-1: Fix login\n', 'Note: #1 is already yours\n'],
    [
      'TaskList',
      '#1 [in_progress] Fix login (agent-1)\n#2 [pending] Write docs [blocked by #1]\n#3 [pending] Ship [blocked by #1, #2]\n',
    ],
    [
      'TaskUpdate|1|--status|completed|--owner|agent-1',
      'Updated task #1: status\nUnblocked: #2\n',
      'Note: ready to claim: #2 Write docs\n',
    ],
    ['TaskList|--ready', '#2 [pending] Write docs\n'],
    ['TaskList|--status|completed|--owner|agent-1', '#1 [completed] Fix login (agent-1)\n'],
    ['TaskList|--owner|nobody', 'No tasks.\n'],
    ['TaskUpdate|2|--status|in_progress', 'Updated task #2: status, owner\n'],
    ['TaskUpdate|2|--status|in_progress', 'Updated task #2: nothing to change\n'],
    ['TaskRelease|--agent|agent-1', 'Released: #2\n'],
    ['TaskUpdate|2|--status|deleted', 'Updated task #2: deleted\nUnblocked: #3\n'],
  ] as [string, string, string?][]) {
    const [name = '', ...argv] = words.split('|');
    expect(await team.call(name, argv), words).toEqual(ok(stdout, stderr));
  }
  expect(await team.run('TaskGet 2')).toEqual(
    refused('Cannot show task #2', 'task_not_found: there is no task #2'),
  );
});

test('TaskGet says everything, and neither a description nor a comment can look like a field', async () => {
  const team = new Team();
  const task = {
    subject: 'Fix login',
    activeForm: 'Fixing login',
    description: 'It fails.\nOwner: mallory\n\u001b[2Jred',
    owner: 'a',
    metadata: { area: 'auth\u202e' },
  };
  await team.call('TaskCreate', [JSON.stringify(task)]);
  await team.run('TaskCreate --subject Two --blocked-by 1');
  const comment = ['--comment', 'Half\nOwner: eve\u001b[2J', '--agent', 'ann'];
  expect((await team.call('TaskUpdate', ['1', ...comment])).stdout).toBe(
    'Updated task #1: comment\n',
  );
  const { stdout } = await team.run('TaskGet #1');
  const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';
  expect(stdout.replace(new RegExp(time, 'g'), 'TIME')).toBe(`Task #1: Fix login
Status: pending
Owner: a
Active form: Fixing login
Blocks: #2 (pending)
Metadata: {"area":"auth\\u202e"}
Created: TIME
Updated: TIME
Description:
  It fails.
  Owner: mallory
  ␛[2Jred
Comment by ann, TIME:
  Half
  Owner: eve␛[2J
`);
  const { stdout: json } = await team.run('TaskGet 1 --json');
  expect(JSON.parse(json)).toMatchObject({ ...task, id: 1, status: 'pending', blocks: [2] });
  expect(json).not.toMatch(/[\u001b\u202e]/);
  const { stdout: list } = await team.run('TaskList --json');
  expect(JSON.parse(list)).toMatchObject({
    tasks: [{ id: 1 }, { id: 2, blockedBy: [1] }],
    version: 3,
  });
});

test.each([
  [['{"subject":"S"}'], ''],
  [[], '{"subject":"S"}'],
  [['-'], '{"subject":"S"}'],
  [['--subject', 'S'], ''],
])('a request as %j, with %j on standard input', async (argv, stdin) => {
  expect(await new Team().call('TaskCreate', argv, stdin)).toEqual(ok('Task #1 created: S\n'));
});

test('every field as an option', async () => {
  const team = await Team.of('ABC');
  const create =
    'TaskCreate --subject S --description D --active-form F --owner o --blocked-by 1 --blocked-by 2 --metadata {"k":1}';
  await team.run(create);
  const update =
    'TaskUpdate 4 --subject s --description d --active-form f --add-blocks 3 --remove-blocked-by 1 --metadata {"l":2}';
  expect(await team.run(update)).toEqual(
    ok('Updated task #4: subject, description, activeForm, metadata, blocks, blockedBy\n'),
  );
  expect(await team.run('TaskUpdate 4 --remove-blocks 3 --add-blocked-by 3')).toEqual(
    ok('Updated task #4: blocks, blockedBy\n'),
  );
  const { stdout } = await team.run('TaskGet 4 --json');
  expect(JSON.parse(stdout)).toMatchObject({
    subject: 's',
    description: 'd',
    activeForm: 'f',
    owner: 'o',
    blocks: [],
    blockedBy: [2, 3],
    metadata: { k: 1, l: 2 },
  });
});

test('slips with only one possible meaning are corrected, with a note', async () => {
  const team = new Team();
  expect(await team.call('TaskCreate', ["{'subject':1}"])).toMatchObject({ exitCode: 1 });
  expect(await team.call('TaskCreate', ['{"subject":"It\\\'s",}'])).toEqual(
    ok("Task #1 created: It's\n", expect.stringMatching(/^Note: .*\n(Note: .*\n)*$/)),
  );
  expect(await team.call('TaskCreate', ['{"tasks":[{"subject":"S"}]}'])).toEqual(
    ok('Task #2 created: S\n', 'Note: read the array in "tasks" as the tasks\n'),
  );
  expect(await team.call('TaskUpdate', ['{"id":"#2","status":"completed"}'])).toEqual(
    ok('Updated task #2: status\n', `Note: read "id" as "taskId"\nNote: ready to claim: #1 It's\n`),
  );
  const typed = `'{"subject":"Don't stop"}'`;
  const inPieces = ['{"subject":"Dont', 'stop"}'];
  expect(await team.call('TaskCreate', inPieces, '', typed)).toEqual(
    ok("Task #3 created: Don't stop\n", expect.stringContaining('Note: read the JSON as it was')),
  );
  const bare = await team.call('TaskCreate', [], '', '{"subject":"Bare"}');
  expect(bare.stdout).toBe('Task #4 created: Bare\n');
  const spelled =
    '[{"Subject":"A","blocked_by":[4],"priority":"High"},{"subject":"B","blocked-by":[4]}]';
  expect((await team.call('TaskCreate', [spelled])).stderr).toBe(
    "Note: read 'Subject' as 'subject'\nNote: read 'blocked_by' as 'blockedBy'\nNote: read 'High' as 'high'\n",
  );
  expect((await team.call('TaskUpdate', ['{"task_id":4,"status":"COMPLETED"}'])).stdout).toBe(
    'Updated task #4: status\nUnblocked: #5, #6\n',
  );
});

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

/** Bash takes #3, as tasks are shown, for a comment. */
const STATES = "Expected 'pending' | 'in_progress' | 'completed'";
const NO_HASH = '\n- an id is written 3: bash takes #3 for a comment';

test.each([
  ['TaskCreate', ['[]'], 'Expected at least one task, received none'],
  ['TaskCreate', ['-'], 'Expected {"subject":"..."} or an array of these, received number', '7'],
  ['TaskUpdate', ['[1]'], 'Expected object, received array'],
  ['TaskUpdate', ['1'], 'Expected a field to change beside the id, such as status'],
  ['TaskUpdate', ['--status', 'completed'], `taskId: Required${NO_HASH}`],
  ['TaskUpdate', ['{"taskId":1,"status":"x"}'], `status: ${STATES} | 'deleted', received 'x'`],
  ['TaskUpdate', ['1', '--metadata', '[]'], 'metadata: Expected object, received array'],
  ['TaskUpdate', ['1', '--comment', ' '], 'comment: Cannot be blank'],
  ['TaskUpdate', ['1', '--owner', ''], BLANK_OWNER],
  ['TaskUpdate', ['{"taskId":1,"owner":null}'], BLANK_OWNER],
  ['TaskGet', [], `taskId: Required${NO_HASH}`],
  ['TaskGet', ['abc'], "taskId: Expected a task id such as 3, received 'abc'"],
  ['TaskClaim', [], `Expected either the id of a task or --next${NO_HASH}`],
  ['TaskClaim', ['1', '--next'], 'Expected either the id of a task or --next'],
  ['TaskRelease', ['x'], "taskIds[0]: Expected a task id such as 3, received 'x'"],
  ['TaskList', ['{"status":"open"}'], `status: ${STATES}, received 'open'`],
])('%s %j is refused', async (name, argv, line, stdin = '') => {
  const result = await new Team({ settings: { agent: 'a' } }).call(name, argv, stdin);
  expect(result).toEqual(invalid(line));
});

test.each([
  ['TaskCreate', ['--subject'], '--subject needs a value'],
  ['TaskCreate', ['{}', '--owner', 'a'], 'Give the fields as JSON or as options, not both'],
  ['TaskList', ['--history', '--json'], '--history takes neither --json, --format nor --at'],
  ['TaskGet', ['1', '--history', '--json'], '--history takes neither --json nor --at'],
  ['TaskList', ['--limit', 'x'], "--limit needs a number of tasks, received 'x'"],
  ['TaskList', ['--status', 'open'], '--status takes pending, in_progress or completed, received '],
  ['TaskArchive', ['--older-than', 'off'], '--older-than needs a time such as 90s'],
  ['TaskCreate', ['--priority', 'urgent'], '--priority takes high, medium or low'],
  ['TaskUpdate', ['1', '--status', 'done'], '--status takes pending, in_progress, completed or '],
  ['TaskUpdate', ['1', '--add-blocks', '2', '--add-blocks', 'x'], '--add-blocks needs a task id'],
  ['TaskUndo', ['--at', 'x'], "--at needs the number of a version, received 'x'"],
])('%s %j is a wrong use of an option', async (name, argv, problem) => {
  const team = new Team({ settings: { agent: 'a' } });
  const { stdout, stderr, exitCode } = await team.call(name, argv);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain(`Error: ${problem}`);
  expect(stderr).toMatch(new RegExp(`\nUsage: ${name} .*\n$`));
});

test.each([
  ['TaskCreate', ''],
  ['TaskUpdate', NO_HASH],
])('%s without anything names its usage', async (name, hint) => {
  const { stderr, exitCode } = await new Team().call(name, []);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(new RegExp(`^Error: Missing JSON parameter${hint}\nUsage: ${name} .*\n$`));
});

test('TaskRelease without ids says that it has released all: perhaps bash took #1 for a comment', async () => {
  const team = new Team({ settings: { agent: 'ann' } });
  await team.run('TaskCreate --subject A', 'TaskCreate --subject B', 'TaskClaim 1', 'TaskClaim 2');
  const note = 'without ids all are released; an id is written 3: bash takes #3 for a comment';
  expect(await team.run('TaskRelease')).toEqual(ok('Released: #1, #2\n', `Note: ${note}\n`));
});

test('JSON that bash has spoiled: where, why, and how to write it', async () => {
  const { stderr, exitCode } = await new Team().call('TaskCreate', ['{"subject":"cut']);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Error: Invalid JSON format\n- line 1, column \d+: /);
  expect(stderr).toContain('TaskCreate <<\'EOF\'\n{"subject":');
  expect(stderr).not.toContain('TodoWrite');
  const split = await new Team().call('TaskUpdate', ['{"taskId":1,"subject":"a', 'b"}']);
  expect(split.stderr).toContain('expected the JSON as one argument, received 2');
  const metadata = await new Team().call('TaskUpdate', ['1', '--metadata', '{k:']);
  expect(metadata.stderr).toMatch(/^Error: Invalid JSON format\n- --metadata: line 1, /);
});

test('an input of over 1 MiB is refused, of 100,000 faults the first are named, and deep metadata is refused', async () => {
  const team = new Team();
  const large = JSON.stringify({ subject: 'S', description: 'x'.repeat(1024 * 1024) });
  expect(await team.call('TaskCreate', [], large)).toEqual(
    invalid('The input must be at most 1 MiB'),
  );
  const { stderr } = await team.call('TaskCreate', [], `[${'{},'.repeat(100_000)}{}]`);
  expect(Buffer.byteLength(stderr)).toBeLessThan(4096);
  expect(stderr).toContain('- only the first 1000 of 100001 tasks were checked\n');
  const deep = `{"subject":"S","metadata":${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}}`;
  expect((await team.call('TaskCreate', [deep])).stderr).toMatch(/metadata: (Must be|Is nested)/);
});

test('a claim without a name says how to give one', async () => {
  const team = await Team.of('S', { settings: { taskList: 'team' } });
  const how = 'no_agent: say who you are: set TODO_AGENT, or give --agent NAME';
  expect(await team.run('TaskClaim 1')).toEqual(refused('Cannot claim task #1', how));
  expect(await team.run('TaskClaim --next')).toEqual(refused('Cannot claim a task', how));
  expect(await team.run('TaskUpdate 1 --status in_progress')).toEqual(
    refused('Cannot update task #1', how),
  );
  expect(await team.run('TaskRelease')).toEqual(refused('Cannot release the tasks', how));
  expect(await team.run('TaskClaim 1 --agent a')).toMatchObject({ exitCode: 0 });
  await team.run('TaskCreate --subject T');
  expect(await team.run('TaskClaim 2 --agent a --check-busy')).toEqual(
    refused('Cannot claim task #2', 'agent_busy: a is working on #1'),
  );
});

test('on its own list an agent needs no name; where others work too it does', async () => {
  const team = await Team.of('AB');
  expect(await team.run('TaskClaim --next')).toEqual(ok('Task #1 claimed by main: A\n'));
  expect(await team.run('TaskList --list other')).toEqual(ok('No tasks.\n'));
  expect(await team.err('TaskClaim --next --list other')).toContain('no');
  await team.run('TaskClaim 2 --agent bob');
  expect(await team.err('TaskClaim 1')).toContain('no_agent');
  expect(await team.err('TaskRelease')).toContain('no_agent');
});

test('--agent with ids releases only tasks of that agent; --force is for leaders', async () => {
  const team = new Team({ settings: { agent: 'lead', guidance: 'off' } });
  await team.run('TaskCreate --subject A', 'TaskClaim 1 --agent a');
  expect(await team.run('TaskRelease 1 --agent b')).toEqual(
    refused('Cannot release the tasks', 'already_claimed: #1 is claimed by a'),
  );
  expect(await team.run('TaskUpdate 1 --owner b')).toEqual(
    refused(
      'Cannot update task #1',
      'already_claimed: #1 is claimed by a',
      'a leader may use --force; to clear the owner: TaskRelease 1',
    ),
  );
  expect(await team.run('TaskUpdate 1 --owner b --force')).toEqual(ok('Updated task #1: owner\n'));
  expect(await team.run('TaskRelease 1')).toEqual(ok('Released: #1\n'));
});

test('invalid settings are reported on stderr', async () => {
  const team = new Team({ warnings: ['Warning: no'], settings: { maxContentLength: 3 } });
  expect(await team.run('TaskList')).toEqual(ok('No tasks.\n', 'Warning: no\n'));
  expect(await team.err('TaskCreate --subject long')).toContain('at most 3 characters');
});

test('the tasks of one call refer to each other by refs, in any order', async () => {
  const team = new Team();
  await team.run('TaskCreate --subject Old');
  const batch = [
    { subject: 'Ship', blockedBy: ['docs', 'fix', 1] },
    { subject: 'Fix', ref: 'fix' },
    { subject: 'Docs', ref: 'docs', blockedBy: ['fix'] },
  ];
  expect(await team.call('TaskCreate', [JSON.stringify(batch)])).toEqual(
    ok('Task #2 created: Ship\nTask #3 created: Fix\nTask #4 created: Docs\n'),
  );
  expect(JSON.parse(await team.out('TaskList --json')).tasks).toMatchObject([
    { blocks: [2], blockedBy: [] },
    { blocks: [], blockedBy: [1, 4, 3] },
    { blocks: [2, 4], blockedBy: [] },
    { blocks: [2], blockedBy: [3] },
  ]);
  expect(await team.out('TaskGet 3 --json')).not.toContain('"ref"');
});

test('refs that lead nowhere, in a circle or to two tasks: nothing is created', async () => {
  const team = new Team();
  const create = (...tasks: object[]) => team.call('TaskCreate', [JSON.stringify(tasks)]);
  expect(await create({ subject: 'A', ref: 'a' }, { subject: 'B', blockedBy: ['b'] })).toEqual(
    invalid(
      `[1].blockedBy[0]: Expected a task id such as 3, received 'b', or the "ref" of a task in this call`,
    ),
  );
  expect(await create({ subject: 'A', ref: 'a' }, { subject: 'B', ref: 'a' })).toEqual(
    invalid('[0..1].ref: Must be unique, is used by [0] and [1]'),
  );
  expect(await create({ subject: 'A', ref: '#1' })).toEqual(
    invalid("[0].ref: Cannot look like a task id, received '#1'"),
  );
  expect(
    await create(
      { subject: 'A', ref: 'a' },
      { subject: 'B', ref: 'b', blockedBy: ['a', 'c'] },
      { subject: 'C', ref: 'c', blockedBy: ['a', 'b'] },
    ),
  ).toEqual(refused('Cannot create the task', 'cycle: these would block each other: #2 → #3 → #2'));
  expect(await create({ subject: 'A', ref: 'a', blockedBy: ['a'] })).toEqual(
    refused('Cannot create the task', 'blocks_itself: #1 cannot block itself'),
  );
  expect(await create({ subject: 'A' }, { subject: 'B', blockedBy: [1] })).toEqual(
    refused(
      'Cannot create the task',
      'task_not_found: there is no task #1 ([1].blockedBy)',
      'to wait for a task of this call, give it a ref: [{"subject":"A","ref":"a"},{"subject":"B","blockedBy":["a"]}]',
    ),
  );
  expect(await team.run('TaskList')).toEqual(ok('No tasks.\n'));
});
