import { expect, test } from 'vitest';
import { parseOptions } from '../../src/command/options.ts';

const TABLE = { '--undo': 'flag', '--agent': 'text', '--if-version': 'version' } as const;

test.each([
  [[], {}, []],
  [['{}'], {}, ['{}']],
  [['--undo'], { '--undo': true }, []],
  [['--agent', 'bob', '{}'], { '--agent': 'bob' }, ['{}']],
  [['--agent=bob=b', '{}'], { '--agent': 'bob=b' }, ['{}']],
  [['--agent', '--undo'], { '--agent': '--undo' }, []],
  [['--if-version', '0', '-'], { '--if-version': 0 }, ['-']],
  [['--undo', '--if-version=12'], { '--undo': true, '--if-version': 12 }, []],
  [['{}', '--agent', 'bob'], { '--agent': 'bob' }, ['{}']],
  [['--undo', '{}', '--agent', 'bob'], { '--undo': true, '--agent': 'bob' }, ['{}']],
])('%j holds the options %j and leaves %j', (argv, options, rest) => {
  expect(parseOptions(argv, TABLE)).toEqual({ options, rest });
});

test.each([
  [['--other', '--undo', 'x']],
  [['--agents=x']],
  [['--toString']],
  [['{"a', '--undo', 'b"}']],
  [['{"a', '--agent']],
])('%j holds no option', (argv) => {
  expect(parseOptions(argv, TABLE)).toEqual({ options: {}, rest: argv });
});

test.each([
  [['--agent'], '--agent needs a value'],
  [['--agent', ''], '--agent needs a value'],
  [['--agent='], '--agent needs a value'],
  [['--undo=1'], '--undo takes no value'],
  [['--undo', '--undo'], '--undo was given twice'],
  [['--if-version', 'x'], '--if-version needs the number of a version'],
  [['--if-version', '-1'], '--if-version needs the number of a version'],
  [['--if-version', '1.5'], '--if-version needs the number of a version'],
  [['--if-version', '9'.repeat(16)], '--if-version needs the number of a version'],
])('%j: %s', (argv, problem) => {
  expect(parseOptions(argv, TABLE)).toEqual({ problem });
});
