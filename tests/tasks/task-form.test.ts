import { expect, test } from 'vitest';
import { ok } from '../helpers/replies.ts';
import { invalid, Team } from './team.ts';

const BLANK_OWNER = 'owner: Cannot be blank; to clear the owner: TaskRelease ID';

test.each([
  [['{"subject":"S"}'], ''],
  [[], '{"subject":"S"}'],
  [['-'], '{"subject":"S"}'],
  [['--subject', 'S'], ''],
])('a request as %j, with %j on standard input', async (argv, stdin) => {
  expect(await new Team().call('TaskCreate', argv, stdin)).toEqual(ok('Task #1 created: S\n'));
});

test('words beside options lead to --subject, unless there is one', async () => {
  const err = (line: string) => new Team().err(`TaskCreate ${line}`);
  expect(await err('Fix login --priority high')).toContain(
    "Unexpected argument 'Fix'. Try: --subject 'Fix login'\n",
  );
  expect(await err('--subject Fix login')).toContain("Unexpected argument 'login'\n");
});

test.each(['TaskGet 2 3', 'TaskClaim #2 #3', 'TaskUpdate 2 3 --status completed'])(
  '%s: a second id is no version, and no option',
  async (line) => {
    const err = await new Team().err(line);
    expect(err).toMatch(/^Error: Unexpected argument '#?3': one task a call\nUsage: /);
  },
);

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
    ok('Updated task #4: blocks, blockedBy\nUnblocked: #3\n'),
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
  expect(
    await team.call('TaskCreate', [
      '[{"subject":"C","blockedBy":5,"ref":"c"},{"subject":"D","blockedBy":"c"}]',
    ]),
  ).toEqual(
    ok('Task #7 created: C\nTask #8 created: D\n', 'Note: read "blockedBy" as an array of one\n'),
  );
  expect(await team.out('TaskList')).toContain('#8 [pending] D [blocked by #7]');
  expect(
    await team.call('TaskCreate', ['{"subject":"E","owner":null,"blockedBy":null,"check":null}']),
  ).toEqual(
    ok(
      'Task #9 created: E\n',
      'Note: ignored "owner":null\nNote: ignored "blockedBy":null\nNote: ignored "check":null\n',
    ),
  );
  // In a change it could mean to remove the field.
  expect(await team.call('TaskUpdate', ['{"taskId":9,"subject":"F","check":null}'])).toEqual(
    invalid('check: Expected string, received null'),
  );
  expect(await team.call('TaskUpdate', ['{"taskId":8,"addBlockedBy":"5, 6"}'])).toEqual(
    invalid("addBlockedBy[0]: Expected a task id such as 3, received '5, 6'"),
  );
});

/** Bash takes #3, as tasks are shown, for a comment. */
const STATES = "Expected 'pending' | 'in_progress' | 'completed'";
const NO_DASH = "Cannot be '-': standard input takes the whole JSON, not one field";
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
  ['TaskUpdate', ['{"taskId":1,"check":"a\\u0000b"}'], 'check: Cannot contain U+0000'],
  ['TaskCreate', ['{"subject":"A","check":"a\\u0000b"}'], 'check: Cannot contain U+0000'],
  ['TaskUpdate', ['1', '--comment', '-'], `comment: ${NO_DASH}`, 'text'],
  ['TaskCreate', ['--subject', 'A', '--description=-'], `description: ${NO_DASH}`, 'text'],
  ['TaskUpdate', ['1', '--owner', ''], BLANK_OWNER],
  ['TaskUpdate', ['{"taskId":1,"owner":null}'], BLANK_OWNER],
  [
    'TaskUpdate',
    ['1', '--owner', 'None'],
    "owner: No agent is called 'None'; to clear the owner: TaskRelease ID",
  ],
  [
    'TaskCreate',
    ['{"subject":"A","owner":"null"}'],
    "owner: No agent is called 'null'; without an owner, leave it out",
  ],
  ['TaskGet', [], `taskId: Required${NO_HASH}`],
  ['TaskGet', ['abc'], "taskId: Expected a task id such as 3, received 'abc'"],
  ['TaskClaim', [], `Expected either the id of a task or --next${NO_HASH}`],
  ['TaskClaim', ['next'], "taskId: Expected a task id such as 3, or --next, received 'next'"],
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
  ['TaskUpdate', ['1', '--add-blocks', '2', '--add-blocks', 'x'], 'each --add-blocks needs'],
  ['TaskUpdate', ['1', '--assign', 'bo'], 'Unknown option --assign. Try: --owner'],
  ['TaskUpdate', ['1', '--note', 'hi'], 'Unknown option --note. Try: --comment'],
  ['TaskUpdate', ['1', '--blocks', '2'], 'Unknown option --blocks. Try: --add-blocks'],
  ['TaskUpdate', ['1', '--add-comment', 'x'], 'Unknown option --add-comment. Try: --comment'],
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
