import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { completions } from '../../src/cli/completions.ts';
import { cleanEnvironment, run } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { hasPrograms } from '../helpers/machine.ts';

/** By line: what Tab offers at its end. */
const CASES: [line: string, offered: string[], isAll?: boolean][] = [
  ['TodoRead --js', ['--json'], true],
  ['TodoRead --format ', ['md', 'json'], true],
  ['TodoWrite --if', ['--if-version'], true],
  ['TodoWrite --cl', [], true],
  ['TaskUpdate --add-', ['--add-blocks', '--add-blocked-by']],
  ['TodoProve --s', ['--session', '--start'], true],
  ['TaskProve --li', ['--list'], true],
  ['TaskList --f', ['--format'], true],
  ['TodoProve --', ['--start', '--session', '--agent']],
  ['TodoProve ', ['2', '3']],
  ['TaskProve ', ['7', '9']],
  ['agent-shell w', ['watch'], true],
  ['agent-shell he', ['help'], true],
  ['agent-shell help s', ['sessions', 'setup', 'state'], true],
  ['agent-shell watch --se', ['--session'], true],
  ['agent-shell watch --all --pa', ['--panel'], true],
  ['agent-shell sessions --j', ['--json'], true],
  ['agent-shell completions f', ['fish'], true],
];

/** Whoever writes lists gives their sessions names. */
const SESSIONS = ['release', 'rel ease', '$(echo ran >&2)'];

/** The completions of each line; one shell for all of them. */
function complete(shell: 'bash' | 'zsh' | 'fish', ...lines: string[]): string[][] {
  const directory = temporaryDirectory();
  const file = join(directory, 'completions');
  writeFileSync(file, completions([shell]).stdout);
  const programs = lines.map((line) => {
    const words = line.split(' ');
    const quoted = words.map((word) => `'${word}'`).join(' ');
    return {
      bash: `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
        _todowrite ${words[0]}; printf '%s\n' "\${COMPREPLY[@]}"`,
      zsh: `words=(${quoted}); CURRENT=${words.length}; service=${words[0]}; PREFIX=${words.at(-1)}
        _todowrite`,
      fish: `complete -C'${line}' | string replace -r '\\t.*' ''`,
    }[shell];
  });
  const fakes = Object.entries({
    TodoRead: String.raw`printf '[x] a\n[ ] b\n[ ] c\n'`,
    TaskList: String.raw`printf '#7 [in_progress] A\n#9 [in_progress] B\n'`,
    'agent-shell': `echo '${JSON.stringify({ sessions: SESSIONS.map((session) => ({ session, lists: [] })) })}'`,
  });
  const inBash = fakes.map(([name, body]) => `${name}() { ${body}; }`).join('; ');
  const inFish = fakes.map(([name, body]) => `function ${name}; ${body}; end`).join('; ');
  const begin = {
    bash: `${inBash}; . ${file}`,
    // The variables that zsh sets, and the function that it calls with the choices.
    zsh: `compadd() { shift; for each in "$@"; do [[ $each == $PREFIX* ]] && print -r -- \${(q)each}; done; }
      compset() { PREFIX=\${PREFIX#*=}; }
      _files() { }
      ${inBash}; . ${file}`,
    fish: `${inFish}; source ${file}`,
  }[shell];
  const program = [begin, ...programs.flatMap((one) => [one, 'echo end'])].join('\n');
  const argv = shell === 'zsh' ? ['-f', '-c', program] : ['-c', program];
  const env = { ...cleanEnvironment(), HOME: directory };
  const { stdout, stderr } = spawnSync(shell, argv, { cwd: directory, encoding: 'utf8', env });
  expect(stderr).toBe('');
  const parts = stdout.split(/^end\n/m).slice(0, -1);
  return parts.map((text) => text.split('\n').filter(Boolean));
}

describe.each(['bash', 'zsh', 'fish'] as const)('in %s', (shell) => {
  test.skipIf(!hasPrograms(shell))('each word is completed to what may stand there', () => {
    const found = complete(shell, ...CASES.map(([line]) => line));
    for (const [index, [line, offered, isAll]] of CASES.entries()) {
      const wanted = isAll ? [...offered].sort() : expect.arrayContaining(offered);
      expect([line, found[index]?.sort()]).toEqual([line, wanted]);
    }
  });
});

test.each([
  ['bash', ['release', 'rel\\ ease', '\\$\\(echo\\ ran\\ \\>\\&2\\)']],
  ['zsh', ['release', 'rel\\ ease', '\\$\\(echo\\ ran\\ \\>\\&2\\)']],
  ['fish', SESSIONS],
] as const)('in %s, the name of a session is one word, and no part of it runs', (shell, names) => {
  if (!hasPrograms(shell)) return;
  const [all, some] = complete(shell, 'TodoRead --session ', 'TodoRead --session rele');
  expect(all?.sort()).toEqual([...names].sort());
  expect(some).toEqual(['release']);
});

test.skipIf(!hasPrograms('bash'))('in bash, the value after = is completed too', () => {
  const lines = ['TodoRead --format = m', 'TodoRead --format ='];
  expect(complete('bash', ...lines)).toEqual([['md'], ['md', 'json']]);
});

test.skipIf(!hasPrograms('zsh'))('in zsh, too', () => {
  expect(complete('zsh', 'TodoRead --format=m')).toEqual([['md']]);
});

test('the executable prints the script, and names the shells', () => {
  const call = (...argv: string[]) =>
    run('agent-shell', ['completions', ...argv], {
      cwd: temporaryDirectory(),
      env: cleanEnvironment(),
    });
  expect(call('bash')).toEqual(completions(['bash']));
  expect(completions(['--help']).stdout).toMatch(/^Usage: agent-shell completions/);
  expect(completions([])).toMatchObject({ stdout: '', exitCode: 2 });
  expect(call('tcsh').stderr).toMatch(
    /^agent-shell: completions takes bash, zsh or fish, received 'tcsh'\n/,
  );
});
