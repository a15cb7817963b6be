import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { BEFORE, BUILD, json, refused, todoWrite } from './call.ts';

// Which call is named for which words: tests/slips.
test.each([
  ['plan.json', "Invalid JSON format\n- 'plan.json' is not a list. Try: TodoWrite < plan.json", 1],
  ['p.json', "Invalid JSON format\n- 'p.json' is not a list. Try: TodoWrite < p.json", 1],
  ['--todos', `Unknown option --todos. Try: TodoWrite '{"todos":[...]}'`, 2],
  ['--undoo', 'Unknown option --undoo (did you mean --undo?)', 2],
  ['--restore=2', 'Unknown option --restore. Try: TodoWrite --undo --at 2', 2],
])('%s is refused, and the right call is named', async (argument, problem, exitCode) => {
  expect(await todoWrite([argument])).toEqual(refused(`Error: ${problem}\n`, exitCode));
  expect(await todoWrite([argument, json(BUILD)])).toMatchObject({ exitCode, items: BEFORE });
});

test.each([
  [['--add', 'A'], /each --add needs its --active-form/],
  [['--undo', '3'], /Unexpected argument '3'. Try: --at 3/],
  [['--done', '1', '2'], /Unexpected argument '2'; name several items as --done 1 --done 2/],
  [
    ['--add', 'Fix', 'login', '--active-form', 'Fixing', 'login'],
    /Unexpected argument 'login'; each --add takes one text, in quotes: --add "Run tests"$/m,
  ],
  [['--done', '1', '--undo'], /--undo cannot be combined with another change/],
  [['--done'], /--done needs a value: 1, since bash takes #1 for a comment\n/],
  [['--add'], /--add needs a value\n/],
])('%j is wrong usage', async (argv, problem) => {
  const { exitCode, stderr, items } = await todoWrite(argv);
  expect({ exitCode, items }).toEqual({ exitCode: 2, items: BEFORE });
  expect(stderr).toMatch(problem);
});

test.each([
  ['--complete 2 --start 3', '--done 2 --start 3'],
  ['--start 3 --complete 2', '--start 3 --done 2'],
  ['--finish=2 --begin=3', '--done 2 --start 3'],
  ['--completed 1,2 --in_progress 3', '--done 1,2 --start 3'],
  ['done 2, start #3', '--done 2 --start 3'],
  ['mark item 2 as in progress', '--start 2'],
  ['2 is not done', '--pending 2'],
  ['2 done, 3 started', undefined],
  ['2 done 3 pending', '--done 2 --pending 3'],
  ['put back 2', '--pending 2'],
  ['--set-status 2 completed', '--done 2'],
  ['--mark-done 2', '--done 2'],
  ['--remove-done 2', '--drop 2'],
  ['--skip 2', '--drop 2'],
  ['--done 2 --complete', undefined],
])('%s leads to a call of all its steps', async (words, steps) => {
  const { stderr, items } = await todoWrite(words.split(' '));
  const [, told] = /Try: TodoWrite ((?:--[a-z]+ [\d,]+ ?)+)$/m.exec(stderr) ?? [];
  expect(told).toBe(steps);
  expect(items).toEqual(BEFORE);
});

test.each([
  ['--done 1 --comment well', 'Unknown option --comment; leave it out'],
  ['--done 1 --note x', 'Unknown option --note; leave it out'],
  ['--undo --to 2', 'Unknown option --to; to restore version N: TodoWrite --undo --at N'],
  ['--undo --comment well', 'Unknown option --comment; leave it out'],
  ['--add A --active-form Aing --id a', 'Unknown option --id; leave it out'],
  ['--add A --active-form Aing --complete 1', 'Unknown option --complete (did you mean --done?)'],
])('%s is told what is wrong with it alone', async (words, problem) => {
  expect(await todoWrite(words.split(' '))).toEqual(refused(`Error: ${problem}\n`, 2));
});

test.each([
  `--add 'Fix user's page' --active-form 'Fixing user's page'`,
  `--add 'Don't' --active-form 'Can't'`,
  `--done 1 --add 'Don't stop' --active-form 'Can't stop'`,
])(
  'an option that apostrophes have put into another text is said to be there: %s',
  async (words) => {
    const split = spawnSync('bash', ['-c', `printf '%s\\0' ${words}`], { encoding: 'utf8' }).stdout;
    expect(await todoWrite(split.split('\0').slice(0, -1))).toEqual(
      refused(
        "Error: --active-form is inside another text: in single quotes write ' as '\\''\n",
        2,
      ),
    );
  },
);

test('a text about an option is a text', async () => {
  const add = ['--add', 'Read --active-form and --agent too', '--active-form', 'Reading --agent x'];
  expect(await todoWrite(add)).toMatchObject({ exitCode: 0 });
});

test('the call for thousands of items is not written out', async () => {
  const many = Array.from({ length: 5000 }, (_, index) => String(1 + (index % 2)));
  for (const words of [many, ['--complete', ...many], [many.join(' ')]]) {
    const { stderr, exitCode } = await todoWrite(words);
    expect(exitCode).not.toBe(0);
    expect(stderr.length).toBeLessThan(500);
  }
});
