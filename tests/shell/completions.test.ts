import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { completions } from '../../src/shell/completions.ts';
import { cleanEnvironment, run } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { hasPrograms } from '../helpers/machine.ts';

/** What a line is completed to, where it ends in the word that Tab is pressed behind. */
const CASES: [line: string, offered: string[], isAll?: boolean][] = [
  ['TodoRead --js', ['--json'], true],
  ['TodoRead --format ', ['md', 'json'], true],
  ['TodoWrite --if', ['--if-version'], true],
  ['TodoWrite --cl', [], true],
  ['TaskUpdate --add-', ['--add-blocks', '--add-blocked-by']],
  ['TaskList --f', ['--format'], true],
  ['agent-shell w', ['watch'], true],
  ['agent-shell watch --se', ['--session'], true],
  ['agent-shell watch --all --pa', ['--panel'], true],
  ['agent-shell sessions --j', ['--json'], true],
  ['agent-shell completions f', ['fish'], true],
];

function complete(shell: 'bash' | 'zsh' | 'fish', line: string): string[] {
  const { stdout: script } = completions([shell]);
  const words = line.split(' ');
  const directory = temporaryDirectory();
  const file = join(directory, 'completions');
  writeFileSync(file, script);
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const programs = {
    bash: `. ${file}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
      _todowrite ${words[0]}; printf '%s\n' "\${COMPREPLY[@]}"`,
    // What zsh itself sets, and what it calls with what there is to choose from.
    zsh: `compadd() { shift; for each in "$@"; do [[ $each == $PREFIX* ]] && print -r -- $each; done; }
      compset() { PREFIX=\${PREFIX#*=}; }
      _files() { }
      . ${file}; words=(${quoted}); CURRENT=${words.length}; service=${words[0]}; PREFIX=${words.at(-1)}
      _todowrite`,
    fish: `source ${file}; complete -C'${line}' | string replace -r '\\t.*' ''`,
  };
  const { stdout, stderr } = spawnSync(
    shell,
    shell === 'zsh' ? ['-f', '-c', programs.zsh] : ['-c', programs[shell]],
    {
      cwd: directory,
      encoding: 'utf8',
      env: { ...cleanEnvironment(), HOME: directory },
    },
  );
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

describe.each(['bash', 'zsh', 'fish'] as const)('in %s', (shell) => {
  test.skipIf(!hasPrograms(shell)).each(CASES)('%s offers %j', (line, offered, isAll) => {
    const found = complete(shell, line).sort();
    expect(found).toEqual(isAll ? [...offered].sort() : expect.arrayContaining(offered));
  });
});

test.skipIf(!hasPrograms('bash'))('in bash, the value after = is completed too', () => {
  expect(complete('bash', 'TodoRead --format = m')).toEqual(['md']);
  expect(complete('bash', 'TodoRead --format =')).toEqual(['md', 'json']);
});

test.skipIf(!hasPrograms('zsh'))('in zsh, too', () => {
  expect(complete('zsh', 'TodoRead --format=m')).toEqual(['md']);
});

test('the executable prints the script, and says what it takes', () => {
  const call = (...argv: string[]) =>
    run('agent-shell', ['completions', ...argv], {
      cwd: temporaryDirectory(),
      env: cleanEnvironment(),
    });
  expect(call('bash')).toEqual(completions(['bash']));
  expect(call('--help').stdout).toMatch(/^Usage: agent-shell completions/);
  expect(call()).toMatchObject({ stdout: '', exitCode: 2 });
  expect(call('tcsh').stderr).toMatch(
    /^agent-shell: completions takes bash, zsh or fish, received 'tcsh'\n/,
  );
});
