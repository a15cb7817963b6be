import { expect, test } from 'vitest';
import { BEFORE, BUILD, json, refused, todoWrite } from './call.ts';

// Which call is named for which words: tests/slips.
test.each([
  ['plan.json', "Invalid JSON format\n- 'plan.json' is not a list. Try: TodoWrite < plan.json", 1],
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
  [['--done', '1', '--undo'], /--undo cannot be combined with another change/],
  [['--done'], /--done needs a value/],
])('%j is wrong usage', async (argv, problem) => {
  const { exitCode, stderr, items } = await todoWrite(argv);
  expect({ exitCode, items }).toEqual({ exitCode: 2, items: BEFORE });
  expect(stderr).toMatch(problem);
});
