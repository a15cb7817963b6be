import { expect, test } from 'vitest';
import { parseWatchArguments } from '../../src/viewer/watch-arguments.ts';

test.each([
  [['--all', '--agent', 'x'], '--all and --agent cannot be combined'],
  [['--tasks', '--all'], '--tasks shows the tasks of all agents; it excludes --all and --agent'],
  [['--list', 'l'], '--list needs --tasks or --web'],
  ...['--jsonl', '--all', '--tasks', '--bell', '--no-panel', '--panel=plain', '--agent=x'].map(
    (option): [string[], string] => [
      ['--web', option],
      `--web takes --session, --list, --port only, not ${option.replace(/=.*/, '')}`,
    ],
  ),
  [['--tasks', '--agent', 'x'], expect.stringMatching(/^--tasks shows the tasks of all agents/)],
  [['--port', '1'], '--port needs --web'],
  ...['65536', 'x', '-1', '123456'].map((port): [string[], string] => [
    ['--web', '--port', port],
    `--port needs a number up to 65535, received '${port}'`,
  ]),
  [['--web', '--port', ''], '--port needs a number up to 65535'],
  [['--session'], '--session needs a name'],
  [['here'], "watch takes no argument 'here'"],
])('wrong usage: %j', (argv, problem) => {
  expect(parseWatchArguments(argv)).toEqual({ problem });
});

test('plain panels asked for elsewhere do not keep a page from being shown', () => {
  expect(parseWatchArguments(['--web'], 'plain')).toMatchObject({ web: true });
});

test('--list selects the team of a page, too', () => {
  expect(parseWatchArguments(['--web', '--list', 'l'])).toMatchObject({ web: true, taskList: 'l' });
});

test('words in place of a screen are asked for by --panel=plain or off, or --no-panel, on either side of watch', () => {
  const isPlain = (argv: string[], before?: 'plain' | 'off' | 'auto') => {
    const parsed = parseWatchArguments(argv, before);
    return 'plain' in parsed && parsed.plain;
  };
  expect([[], ['--panel=auto']].map((argv) => isPlain(argv))).toEqual([false, false]);
  const plain = [['--panel=plain'], ['--panel=off'], ['--no-panel']];
  expect(plain.map((argv) => isPlain(argv))).toEqual([true, true, true]);
  expect((['plain', 'off', 'auto'] as const).map((before) => isPlain([], before))).toEqual([
    ...[true, true, false],
  ]);
  expect(isPlain(['--panel=auto'], 'plain')).toBe(false);
});

test('without options it shows the lists of the place, on any free port if in a browser', () => {
  const nothing = { all: false, tasks: false, jsonl: false, plain: false, web: false, bell: false };
  expect(parseWatchArguments([])).toMatchObject({ ...nothing, help: false, list: {} });
  expect(parseWatchArguments(['--web', '--port', '65535'])).toMatchObject({ port: 65_535 });
  expect(parseWatchArguments(['--web'])).toMatchObject({ web: true, port: undefined });
  for (const word of ['-h', '--help'])
    expect(parseWatchArguments([word])).toMatchObject({ help: true });
});
