import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseArguments, SHELL_OPTIONS } from '../../src/cli/arguments.ts';
import { completions } from '../../src/cli/completions.ts';
import { stateCommand } from '../../src/cli/state-command.ts';
import { setup } from '../../src/harness/setup/setup.ts';
import { TASK_FORMS } from '../../src/tasks/task-commands.ts';
import { sessionsCommand } from '../../src/viewer/sessions.ts';
import { parseWatchArguments } from '../../src/viewer/watch-arguments.ts';
import { items } from '../guidance/agent-session.ts';
import { AGENT_SHELL, agentShell } from '../helpers/agent-shell.ts';
import { ENV } from '../helpers/bash.ts';
import { callCommand } from '../helpers/commands.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { forAllTests } from '../helpers/for-all-tests.ts';

const LIST = (count: number) => JSON.stringify(items(...Array(count).fill('[ ] x')));

/** A folder with a `node` that tells its arguments: the program would take ten times as long. */
const tellingNode = forAllTests((finished) => {
  const folder = temporaryDirectory(finished);
  const text = `#!/bin/sh\nprintf '%s\\0' "$@"\n`;
  writeFileSync(join(folder, 'node'), text, { mode: 0o755 });
  return folder;
});

/** What agent-shell replies to arguments that it hands to Node. What its program writes by itself is asked of the program. */
async function replyTo(args: readonly string[], home = '/nonexistent') {
  const env = { PATH: `${tellingNode()}:${ENV.PATH}` };
  const { stdout: told, ...ended } = await agentShell(args, { env });
  if (ended.exitCode !== 0) return { stdout: told, ...ended };
  expect(told).toBe(['--title=agent-shell', AGENT_SHELL, ...args].map((x) => `${x}\0`).join(''));
  const options = parseArguments(args, {});
  const world = { environment: { ...ENV, HOME: home }, directory: '/', home, started: AGENT_SHELL };
  switch (options.mode) {
    case 'usage-error':
      return { stdout: '', stderr: options.text, exitCode: 2 };
    case 'completions':
      return completions(options.argv);
    case 'sessions':
      return sessionsCommand(options.argv, world.environment);
    case 'state':
      return stateCommand(options.argv, world);
    case 'setup':
      return setup(options.argv, world, () => {});
    default:
      return agentShell(args);
  }
}

describe('options', () => {
  test.each([
    ['--panel with another word', ['--panel=sometimes', '-c', 'touch ran'], '--panel'],
    ['--session without a name', ['--session'], '--session needs a name'],
    ['--session with an empty name', ['--session=', '-c', 'touch ran'], '--session needs a name'],
    ['--agent without --session', ['--agent', 'bob', '--jsonl'], '--agent needs --session: '],
    ['--prompt with another word', ['--prompt', '--bogus'], '--bogus'],
    ['what is nearly --jsonl', ['--jsnl'], '(did you mean --jsonl?);'],
    ['what is nearly --no-panel', ['--no-panl', '-c', 'touch ran'], 'did you mean --no-panel?'],
    ['--jsonl with -c', ['--jsonl', '-c', 'touch ran'], '-c'],
    ['help with another word', ['help', 'foo'], "no help page for 'foo'"],
    ['prime with an argument', ['prime', 'now'], "'now'"],
    ['watch --web of one agent', ['watch', '--web', '--all'], 'not --all'],
    ['watch --tasks of one agent', ['watch', '--tasks', '--agent', 'a'], 'excludes --all'],
    ['watch at no port', ['watch', '--web', '--port', '65536'], "received '65536'"],
    ['sessions of no age', ['sessions', '--older', 'a-very-long-age'], "'a-very-long-age'"],
    ['sessions with two choices', ['sessions', '--older', '1d', '--remove', 'a'], 'NAME or'],
    ["ours behind bash's", ['--norc', '--panel=off', '-c', 'touch ran'], 'before bash'],
  ])(
    'that make no sense: an error in 80 columns that names them, exit code 2, and nothing runs: %s',
    async (_name, args, named) => {
      const { stdout, stderr, exitCode } = await replyTo(args);
      expect([stdout, exitCode]).toEqual(['', 2]);
      expect(stderr).toMatch(/^agent-shell: .{1,67}(?:\n.{1,80}){0,2}\n$/);
      expect(stderr.replaceAll('\n', ' ')).toContain(named);
      expect(stderr).toMatch(/; see agent-shell.* --help\n$|;\nsee agent-shell.* --help\n$/);
    },
  );

  test('that make no sense get the same reply from the program', async () => {
    const args = ['--jsnl', '-c', 'touch ran'];
    const cwd = temporaryDirectory();
    expect(await agentShell(args, { cwd })).toMatchObject(await replyTo(args));
    expect(listFiles(cwd)).toEqual([]);
  });

  test.each(['wach', 'prompt', 'jsonl'])(
    'a misspelled subcommand or an option without its dashes gets their names before the error of bash: %s',
    async (word) => {
      const { stderr, exitCode } = await agentShell([word]);
      const said = `^agent-shell: no script ${word}; subcommands:\nwatch, .* --prompt, --jsonl\n.*${word}: No such file.*\n$`;
      expect([stderr, exitCode]).toEqual([expect.stringMatching(said), 127]);
    },
  );

  test('with hostile text are named without its escapes, and cut short', async () => {
    const { stderr, exitCode } = await replyTo(['--jsonl', `--\x1b[2J\n${'x'.repeat(100_000)}`]);
    expect(exitCode).toBe(2);
    expect(stderr.length).toBeLessThan(300);
    expect(stderr).toMatch(/^[^\n\x1b]*\n[^\n\x1b]*\nsee agent-shell --help\n$/);
  });

  test('-h and --help print the help page, which begins with three examples, names every command, and fits a screen', async () => {
    expect(parseArguments(['-h'], {})).toEqual({ mode: 'help' });
    const { stdout, stderr, exitCode } = await agentShell(['--help']);
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(stdout).toMatch(/^Examples:\n(?: {2}agent-shell .*\n){3}\nUsage: agent-shell/);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(40);
    const words = ['-c', '--jsonl', '--no-panel', '--version', 'TodoWrite', 'TODO_MAX_ITEMS'];
    for (const word of [...words, ...TASK_FORMS.map(({ name }) => name)]) {
      expect(stdout).toContain(word);
    }
  });

  test.each(['watch', 'sessions', 'setup', 'state', 'completions', 'prime'])(
    '%s has a help page of its own, within 80 columns; -h, help and a wrong word lead to it',
    async (word) => {
      const page = await agentShell([word, '--help']);
      expect(page).toMatchObject({ stderr: '', exitCode: 0 });
      expect(page.stdout).toMatch(new RegExp(`^Usage: agent-shell ${word}\\b`));
      expect(page.stdout).not.toMatch(/.{81}/);
      const asked = parseArguments([word, '--help'], {});
      expect(parseArguments(['help', word], {})).toEqual(asked);
      const isSame = isDeepStrictEqual(parseArguments([word, '-h'], {}), asked);
      const short = isSame ? page : await replyTo([word, '-h']);
      expect([short.stderr, short.exitCode]).toEqual(['', 0]);
      if (short.stdout !== page.stdout) {
        expect(short.stdout).toContain(`More: agent-shell ${word} --help\n`);
      }
      expect(parseArguments([word, '--version'], {})).toEqual({ mode: 'version' });
      const { stderr, exitCode } = await replyTo([word, 'foo']);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(
        new RegExp(`agent-shell ${word}.* --help\\n|\nUsage: agent-shell ${word}`),
      );
    },
  );

  test('help prints the page of agent-shell, unless it is the name of a script', async () => {
    expect(parseArguments(['help'], {})).toEqual({ mode: 'help' });
    expect(parseArguments(['help', 'help'], {})).toEqual({ mode: 'help' });
    const { stdout } = await agentShell(['help']);
    expect(stdout).toMatch(/^Examples:/);
    expect(stdout).not.toMatch(/.{81}/);
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'help'), 'echo a script');
    expect((await agentShell(['help'], { cwd })).stdout).toBe('a script\n');
  });

  test('setup ends its lines at column 80 where it lists what it found, and in errors that list agents', async () => {
    const home = temporaryDirectory();
    const all = [
      '.claude',
      '.codex',
      '.gemini',
      '.qwen',
      '.config/opencode',
      '.cursor',
      '.kimi-code',
      '.crush',
    ];
    for (const folder of all) mkdirSync(join(home, folder), { recursive: true });
    for (const argv of [[], ['foo'], ['--print']]) {
      const { stdout, stderr } = await replyTo(['setup', ...argv], home);
      expect(stdout + stderr).toMatch(/cursor/i);
      expect(stdout + stderr).not.toMatch(/.{81}/);
    }
  });

  test('--version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const { stdout, stderr, exitCode } = await agentShell(['--version']);
    expect([stdout, stderr, exitCode]).toEqual([`${version}\n`, '', 0]);
  });

  test('end before those of bash', async () => {
    const argv = ['--panel', 'off', '-c', 'echo "$@"', 'name', '--help'];
    expect((await agentShell(argv)).stdout).toBe('--help\n');
    expect((await agentShell(['--no-panel'], { stdin: 'echo hi' })).stdout).toBe('hi\n');
  });
});

test('the port of agent-shell watch --web is one that there is', () => {
  const read = (port: string) => parseWatchArguments(['--web', '--port', port]);
  for (const port of ['0', '1', '65535']) expect(read(port)).toMatchObject({ port: Number(port) });
  for (const port of ['65536', '-1', '1e3', '080808']) {
    expect(read(port)).toEqual({
      problem: `--port needs a number up to 65535, received '${port}'`,
    });
  }
});

test('TODO_PANEL=off keeps prompts clean, and watch is the viewer all the same', () => {
  const isPlain = (environment: Record<string, string>, ...argv: string[]) =>
    parseArguments(['watch', ...argv], environment);
  expect(isPlain({ TODO_PANEL: 'off' })).toMatchObject({ plain: false });
  expect(isPlain({ TODO_PANEL: 'plain' })).toMatchObject({ plain: true });
  expect(isPlain({}, '--no-panel')).toMatchObject({ plain: true });
  expect(isPlain({}, '--panel=plain')).toMatchObject({ plain: true });
});

test('settings come from .env of the current directory, and the environment comes before it', async () => {
  const cwd = temporaryDirectory();
  const write = ['-c', `:; TodoWrite '${LIST(3)}'`];
  writeFileSync(join(cwd, '.env'), 'TODO_MAX_ITEMS=2\nPATH=/nonexistent\nOTHER=secret\n');
  expect((await agentShell(write, { cwd })).stderr).toContain('at most 2 items');
  const three = { TODO_STATE_DIR: cwd, TODO_MAX_ITEMS: '3' };
  expect((await callCommand(three, 'TodoWrite', [LIST(3)], { cwd })).exitCode).toBe(0);
  const { stdout } = await agentShell(['-c', 'echo "[$TODO_MAX_ITEMS$OTHER]"'], { cwd });
  expect(stdout).toBe('[]\n');
});

test('agent-shell.sh knows each option and word that Node reads', () => {
  const script = readFileSync('src/bin/agent-shell.sh', 'utf8');
  const reader = /^own_options\(\) \{\n([\s\S]*?)^\}/m.exec(script)?.[1] ?? '';
  const patterns = reader.match(/^ {6}[^\n]*?\)/gm)?.join(' ') ?? '';
  const words = ['watch', 'setup', 'hook', 'prime', 'state', 'sessions', 'completions'];
  for (const name of [...Object.keys(SHELL_OPTIONS), ...words]) {
    expect(patterns, name).toMatch(new RegExp(`(?<![\\w-])${name}(?![\\w-])`));
  }
});
