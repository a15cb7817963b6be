import { expect, test } from 'vitest';
import { parseWatchArguments } from '../../src/viewer/watch-arguments.ts';

test.each([
  [['--all', '--agent', 'x'], '--all and --agent cannot be combined'],
  [['--tasks', '--all'], '--tasks shows the tasks of all agents; it excludes --all and --agent'],
  [['--list', 'l'], '--list needs --tasks'],
  [
    ['--web', '--jsonl'],
    '--web shows a whole session; it excludes --all, --agent, --tasks and --jsonl',
  ],
  [['--port', '1'], '--port needs --web'],
  [['--session'], '--session needs a name'],
  [['here'], "watch takes no argument 'here'"],
])('wrong usage: %j', (argv, problem) => {
  expect(parseWatchArguments(argv)).toEqual({ problem });
});
