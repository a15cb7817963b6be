import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { asksInVain, startCommands } from '../../../src/shell/bash/last-command.ts';

const SHOW = 'echo "$? ${PIPESTATUS[*]} $_"';

test.each<[exitCode: number, statuses: number[], seen: string, options?: string]>([
  [0, [0], '0 0'],
  [1, [1], '1 1'],
  [7, [7], '7 7'],
  [0, [1], '0 1'],
  [1, [0], '1 0'],
  [0, [3, 4, 0], '0 3 4 0'],
  [5, [2, 5], '5 2 5'],
  [0, [2, 5], '0 2 5'],
  [1, [2, 0], '1 2 0'],
  [9, [3], '9 9'],
  [1, [1, 0], '1 1 0', '-o pipefail'],
  [4, [3, 4, 0], '4 3 4 0', '-o pipefail'],
])(
  'a line sees the exit code %i and the statuses %j of the previous one',
  (exitCode, statuses, seen, options = '') => {
    const last = { statuses, argument: 'it' };
    for (const hasTraps of [false, true]) {
      const line = startCommands(SHOW, exitCode, last, hasTraps).join('\n');
      const { stdout } = spawnSync('bash', ['-c', `set -e ${options}\n${line}\n${SHOW}`], {
        encoding: 'utf8',
      });
      expect(stdout).toBe(`${seen} it\n`);
    }
  },
);

test('only a line that names them is given $_ and PIPESTATUS', () => {
  const last = { statuses: [1, 2], argument: "it's\nlong" };
  const [given, status] = startCommands('echo $_', 2, last, false);
  expect(given).toContain('\\builtin : ');
  expect(given).not.toContain('\n');
  expect(status).toBe('(\\builtin exit 1)|(\\builtin exit 2)&&:');
  for (const line of ['echo', 'echo $_x', 'echo _', 'PIPE=1']) {
    expect(startCommands(line, 2, last, false)).toEqual(['', '(\\builtin exit 2)&&:']);
  }
  expect(startCommands('echo', 0, last, false)).toEqual(['', '']);
  expect(startCommands('echo', 1, last, false)).toEqual(['', '\\builtin false&&:']);
  expect(startCommands('echo', 1, last, true)).toEqual(['', '(\\builtin exit 1)&&:']);
});

test.each<[string, boolean]>([
  ['echo $_', true],
  ['# $x\n  echo ${_}', true],
  ['echo "${PIPESTATUS[0]}"', true],
  ['true; echo $_', false],
  ['true\necho $_', false],
  ["echo '$_'", false],
  ['echo $_x', false],
])('%j begins with what is not known: %s', (line, isAsked) => {
  expect(asksInVain(line, { statuses: [0] })).toBe(isAsked);
  expect(asksInVain(line, { statuses: [0], argument: 'x' })).toBe(false);
  expect(asksInVain(line, undefined)).toBe(false);
});
