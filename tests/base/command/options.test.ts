import { expect, test } from 'vitest';
import { type OptionTable, parseOptions } from '../../../src/base/command/options.ts';

const TABLE = {
  '--undo': 'flag',
  '--agent': 'name',
  '--if-version': 'version',
  '--output': ['list', 'json', 'one_line'],
} as const;

test.each<[string[], object, string[]]>([
  [[], {}, []],
  [['{}'], {}, ['{}']],
  [['--undo'], { '--undo': true }, []],
  [['--agent', 'bob', '{}'], { '--agent': 'bob' }, ['{}']],
  [['--agent=bob=b', '{}'], { '--agent': 'bob=b' }, ['{}']],
  [['--agent=--undo'], { '--agent': '--undo' }, []],
  [['--output', 'list'], { '--output': 'list' }, []],
  // As in JSON, capitals, hyphens and spaces make no difference.
  [['--output', 'JSON'], { '--output': 'json' }, []],
  [['--output=One-Line'], { '--output': 'one_line' }, []],
  [['--output', 'one line'], { '--output': 'one_line' }, []],
  [['--if-version', '0', '-'], { '--if-version': 0 }, ['-']],
  [['--undo', '--if-version=12'], { '--undo': true, '--if-version': 12 }, []],
  [['{}', '--agent', 'bob'], { '--agent': 'bob' }, ['{}']],
  [['--undo', '{}', '--agent', 'bob'], { '--undo': true, '--agent': 'bob' }, ['{}']],
  // Words of a text with broken quotes.
  ...[
    ['{"a', '--undo', 'b"}'],
    ['{"a', '--agent'],
    ['{"a', '-h', '--undo', 'b"}'],
  ].map((words): [string[], object, string[]] => [words, {}, words]),
  [['--undo', '--', '--agent', 'x'], { '--undo': true }, ['--agent', 'x']],
])('%j holds the options %j and leaves %j', (argv, options, rest) => {
  expect(parseOptions(argv, TABLE)).toEqual({ options, rest });
});

test('for arguments of bash, options end at the first word', () => {
  const rest = ['x.sh', '--agent', 'x'];
  const parsed = parseOptions(['--undo', ...rest], TABLE, 'first word');
  expect(parsed).toEqual({ options: { '--undo': true }, rest });
});

test('an option that may be repeated holds all its values', () => {
  const parsed = parseOptions(['--id', '1', '--id=2'], { '--id': 'texts' });
  expect(parsed).toEqual({ options: { '--id': ['1', '2'] }, rest: [] });
});

test.each([
  [['--agnet'], 'Unknown option --agnet (did you mean --agent?)'],
  [['--agents=x'], 'Unknown option --agents (did you mean --agent?)'],
  [['--out'], 'Unknown option --out (did you mean --output?)'],
  [['--Undo'], 'Unknown option --Undo (did you mean --undo?)'],
  [['--if_version=3'], 'Unknown option --if_version (did you mean --if-version?)'],
  [['--toString'], 'Unknown option --toString'],
  [['--nothing-like-it'], 'Unknown option --nothing-like-it'],
  [['-x'], 'Unknown option -x'],
  [['--agent'], '--agent needs a name'],
  [['--agent', ''], '--agent needs a name'],
  [['--agent', ' '], '--agent needs a name'],
  [['--agent='], '--agent needs a name'],
  [['--agent', '--undo'], '--agent needs a name, not the option --undo'],
  [['--output', 'xml'], "--output takes list, json or one_line, received 'xml'"],
  [['{}', '--ouput', 'list'], 'Unknown option --ouput (did you mean --output?)'],
  [['--undo=1'], '--undo takes no value'],
  [['--undo', '--undo'], '--undo was given twice'],
  [['--if-version', 'x'], "--if-version needs the number of a version, received 'x'"],
  [['--if-version', '-1'], "--if-version needs the number of a version, received '-1'"],
  [['--if-version', '1.5'], "--if-version needs the number of a version, received '1.5'"],
  [
    ['--if-version', '9'.repeat(16)],
    `--if-version needs the number of a version, received '${'9'.repeat(16)}'`,
  ],
])('%j: %s', (argv, problem) => {
  expect(parseOptions(argv, TABLE)).toMatchObject({ problem });
});

test('parsing takes time linear in the number of words', () => {
  const table: OptionTable = { '--id': 'texts' };
  for (const words of [['{'], ['{}', '--id', '1'], ['--id', '1'], ['{}', '--id=1', 'x']]) {
    const argv = Array.from({ length: 20_000 }, () => words).flat();
    const start = process.cpuUsage();
    parseOptions([...argv, '--bad'], table);
    expect(process.cpuUsage(start).user, words.join(' ')).toBeLessThan(2_000_000);
  }
});
