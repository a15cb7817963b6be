import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'smol-toml';
import { afterAll, describe, expect, test } from 'vitest';
import { editConfigs } from '../../../src/harness/setup/config-file.ts';
import { HARNESSES } from '../../../src/harness/setup/harnesses.ts';
import { setup } from '../../../src/harness/setup/setup.ts';
import { cleanEnvironment, executable } from '../../helpers/executables.ts';
import { listFiles, temporaryDirectory } from '../../helpers/files.ts';
import { forAllTests } from '../../helpers/for-all-tests.ts';
import { isHere } from '../../helpers/machine.ts';

const NAMES = Object.keys(HARNESSES);

/** A bash that finds nothing, for all but the tests of what setup asks bash. */
const silentBash = forAllTests((finished) => {
  const folder = temporaryDirectory(finished);
  writeFileSync(join(folder, 'bash'), '#!/bin/sh\n', { mode: 0o755 });
  return folder;
});

function machine() {
  const root = temporaryDirectory();
  const [project, home] = [join(root, 'project'), join(root, 'home')];
  mkdirSync(join(project, '.git'), { recursive: true });
  mkdirSync(join(project, 'src'));
  mkdirSync(home);
  const PATH = `${silentBash()}:${process.env.PATH}`;
  const environment: Record<string, string> = { PATH, HOME: home };
  const started = join(root, 'own bin', 'agent-shell');
  const world = { environment, directory: join(project, 'src'), home, started };
  const put = (name: string, text: string) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  /** The contents of all files, by name. */
  const all = () =>
    Object.fromEntries(
      listFiles(root)
        .filter((name) => statSync(join(root, name), { throwIfNoEntry: false })?.isFile())
        .map((name) => [name, readFileSync(join(root, name), 'latin1')]),
    );
  return {
    root,
    project,
    home,
    environment,
    put,
    all,
    /** With what it says before it writes, and the files at that time. */
    run: (...argv: string[]) => {
      const said: { text: string; files: object }[] = [];
      const result = setup(argv, world, (text) => said.push({ text, files: all() }));
      const before = said.map(({ text }) => text).join('');
      return { ...result, stdout: before + result.stdout, ...(said[0] && { said: said[0].files }) };
    },
  };
}

const identity = ({ dev, ino, mode, rdev }: Stats) => ({ dev, ino, mode, rdev });

/** Root may, but not in every container. */
const CAN_MAKE_DEVICES = isHere(
  'the right to make devices',
  spawnSync('mknod', [join(temporaryDirectory(afterAll), 'device'), 'c', '1', '3']).status === 0,
);

/** By agent: the files in a project, and those of the user. */
const FILES: Record<string, [project: string, user: string]> = {
  claude: ['.claude/settings.json CLAUDE.md', '.claude/CLAUDE.md .claude/settings.json'],
  codex: [
    '.codex/config.toml .codex/hooks.json AGENTS.md',
    '.codex/AGENTS.md .codex/config.toml .codex/hooks.json',
  ],
  gemini: [
    '.gemini/settings.json GEMINI.md',
    '.gemini/GEMINI.md .gemini/policies/todowrite.toml .gemini/settings.json',
  ],
  opencode: [
    '.opencode/plugin/todowrite.js AGENTS.md',
    '.config/opencode/AGENTS.md .config/opencode/plugin/todowrite.js',
  ],
  qwen: ['.qwen/settings.json QWEN.md', '.qwen/QWEN.md .qwen/settings.json'],
  cursor: ['.cursor/hooks.json AGENTS.md', '.cursor/hooks.json'],
  kimi: ['AGENTS.md', '.kimi-code/AGENTS.md .kimi-code/config.toml'],
  crush: ['AGENTS.md', '.config/crush/CRUSH.md'],
  agents: ['AGENTS.md', ''],
};

test.each(NAMES)(
  'setup %s writes the files that --print shows and --check misses, nothing the second time, and --remove removes all',
  (name) => {
    const [inProject = [], ofUser = []] = (FILES[name] ?? []).map((files) =>
      files.split(' ').filter(Boolean),
    );
    const { all, run, project, home } = machine();
    const { stdout } = run(name, '--print');
    expect(all()).toEqual({});
    const before = run(name, '--check');
    expect(before.exitCode).toBe(1);
    expect(run(name)).toMatchObject({ stderr: '', exitCode: 0 });
    const written = all();
    expect(Object.keys(written).sort()).toEqual(inProject.map((file) => `project/${file}`).sort());
    expect(run(name).stdout).toMatch(/^(unchanged .*\n)+$/);
    expect(all()).toEqual(written);
    const after = run(name, '--check');
    for (const file of inProject) {
      expect(stdout).toContain(`# ${file}  (`);
      expect(stdout).toContain(written[`project/${file}`]);
      expect(before.stdout).toContain(`missing  ${file}`);
      expect(after.stdout).toContain(`ok       ${file}`);
    }
    expect(run(name, '--remove')).toMatchObject({ stderr: '', exitCode: 0 });
    expect(readdirSync(project).sort()).toEqual(['.git', 'src']);
    expect(run(name, '--remove')).toMatchObject({ stderr: '', exitCode: 0 });
    expect(run(name, '--user').exitCode).toBe(ofUser.length === 0 ? 2 : 0);
    expect(Object.keys(all()).sort()).toEqual(ofUser.map((file) => `home/${file}`).sort());
    run(name, '--user', '--remove');
    expect(readdirSync(home)).toEqual([]);
  },
);

test('--remove where there is no setup removes nothing, not even an empty folder', () => {
  const { root, run } = machine();
  const folders = ['project/.codex', 'home/.codex', 'home/.local/state/todowrite'];
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  for (const scope of ['--project', '--user']) run('codex', scope, '--remove');
  for (const folder of folders) expect(readdirSync(join(root, folder))).toEqual([]);
});

test('the registered command never changes, or users would have to trust it again', () => {
  const { all, run } = machine();
  for (const name of NAMES) run(name);
  const commandsLike = (pattern: RegExp) => Object.values(all()).join('').match(pattern);
  const commands = commandsLike(/"command": "[^"]*"/g);
  expect(new Set(commands)).toEqual(new Set(['"command": "agent-shell hook"']));
  for (const name of NAMES) run(name, '--gate');
  expect(run('opencode', '--gate')).toMatchObject({
    stderr: expect.stringContaining('opencode has no hook for its stop'),
    exitCode: 2,
  });
  expect(commandsLike(/"command": "[^"]*--gate"/g)).toEqual(
    Array(5).fill('"command": "agent-shell hook --gate"'),
  );
});

test.each([
  ['claude', {}],
  ['codex', { 'project/.codex/config.toml': '[[hooks.Stop]]\n' }],
])('of %s a gate stays when setup runs again without --gate', (name, files) => {
  const { all, run, put } = machine();
  for (const [file, text] of Object.entries(files)) put(file, text);
  run(name, '--gate');
  const gated = all();
  expect(Object.values(gated).join('')).toContain('agent-shell hook --gate');
  expect(run(name).stdout).not.toContain('written');
  expect(all()).toEqual(gated);
});

test('setup for Claude Code ends with what to do next, once', () => {
  const { run } = machine();
  expect(run('claude').stdout).toMatch(
    /\n\nRestart Claude Code\. .*agent-shell watch\n.*status line.*\n.*TodoRead --line.*\n$/,
  );
  expect(run('claude').stdout).not.toContain('Restart');
});

test('without a name it lists the agents found and their commands', () => {
  const { run, put, environment } = machine();
  environment.PATH = '/nothing';
  expect(run().stdout).toContain('agent-shell setup agents');
  put('project/.codex/config.toml', '');
  put('project/CLAUDE.md', '');
  const { stdout, exitCode } = run();
  expect(stdout).toContain('Found here: Claude Code, Codex.');
  expect(stdout).toContain('  agent-shell setup claude\n  agent-shell setup codex\n');
  expect(exitCode).toBe(0);
});

test('without a name it says nothing that is not so for the agents found', () => {
  const { run, put, environment } = machine();
  environment.PATH = '/nothing';
  const said = () =>
    ['--user', '--gate', '--no-permission'].filter((one) => run().stdout.includes(one));
  expect(said()).toEqual([]);
  put('project/opencode.json', '');
  expect(said()).toEqual(['--user']);
  put('project/.cursorrules', '');
  expect(said()).toEqual(['--user', '--gate']);
  put('project/CLAUDE.md', '');
  expect(said()).toEqual(['--user', '--gate', '--no-permission']);
});

test.each([
  ['Claude Code', '.claude'],
  ['Codex', '.codex'],
  ['Gemini CLI', '.gemini'],
  ['opencode', '.config/opencode'],
  ['Cursor', '.cursor'],
  ['Claude Code', 'elsewhere'],
])('%s is found if the user has %s', (title, folder) => {
  const { run, home, environment } = machine();
  environment.PATH = '/nothing';
  if (folder === 'elsewhere') environment.CLAUDE_CONFIG_DIR = join(home, folder);
  expect(run().stdout).toContain('Found no coding agent here');
  mkdirSync(join(home, folder), { recursive: true });
  expect(run().stdout).toContain(`Found here: ${title}.`);
});

test('the section teaches a heredoc, and quotes where Gemini CLI reads it, which refuses backticks in heredocs', () => {
  const { all, run, put } = machine();
  run('claude');
  run('codex');
  expect(all()['project/CLAUDE.md']).toMatch(/TodoWrite <<'EOF'\n[\s\S]*--done 1 --start 2/);
  put('project/.gemini/settings.json', '{"context":{"fileName":"AGENTS.md"}}');
  run('gemini');
  const shared = all()['project/AGENTS.md'];
  expect(shared).toMatch(/TodoWrite '\{"todos":\[[^']*\]\}'\n[\s\S]*--done 1 --start 2/);
  expect(shared).not.toContain('EOF');
  run('codex');
  expect(all()['project/AGENTS.md']).toBe(shared);
});

describe('permission', () => {
  const ASKED = ['PreToolUse', 'PermissionRequest', 'sandbox_workspace_write', 'commandPrefix'];
  const isPermitted = (files: object) => ASKED.some((word) => JSON.stringify(files).includes(word));

  test.each([
    ['claude', 'project'],
    ['qwen', 'project'],
    ['codex', 'project'],
    ['codex', 'user'],
    ['gemini', 'user'],
  ])(
    'setup %s --%s says so before it gives it; --no-permission leaves it out, and takes it back',
    (name, scope) => {
      const { all, run } = machine();
      const setUp = (...argv: string[]) => run(name, `--${scope}`, ...argv);
      expect(setUp('--print', '--no-permission').stdout).not.toMatch(ASKED.join('|'));
      setUp('--no-permission');
      const without = all();
      expect(isPermitted(without)).toBe(false);
      expect(setUp('--check').stdout).not.toContain('outdated');
      const { stdout, said } = setUp();
      // Before it writes.
      expect(said).toEqual(without);
      expect(stdout).toMatch(/^Lines that only use the task list will run without a question, /);
      expect(stdout.includes('everyone')).toBe(scope === 'project');
      expect(stdout).not.toMatch(/.{81}/);
      expect(isPermitted(all())).toBe(true);
      expect(setUp('--check').stdout).not.toMatch(/outdated|missing .*\)\n/);
      expect(setUp('--no-permission').stdout).not.toContain('Lines that only use');
      expect(all()).toEqual(without);
    },
  );

  test('of Gemini CLI is the user’s own to give, which setup of a project says', () => {
    expect(machine().run('gemini').stdout).toContain('agent-shell setup gemini --user');
  });

  test('Codex may write the lists: the folder is there, and its name is one for all users', () => {
    const { all, run, home, environment } = machine();
    run('codex');
    expect(all()['project/.codex/config.toml']).toContain(
      '[sandbox_workspace_write]\nwritable_roots = ["~/.local/state/todowrite"]\n',
    );
    expect(readdirSync(join(home, '.local', 'state'))).toEqual(['todowrite']);
    environment.TODO_STATE_DIR = '/elsewhere/lists';
    run('codex', '--no-permission');
    environment.TODO_STATE_DIR = '.lists';
    expect(run('codex').stdout).not.toContain('config.toml');
  });

  test.each([['TODO_STATE_DIR'], ['the user’s own configuration']])(
    'Codex’s is taken back where %s makes it needless by now',
    (why) => {
      const { all, run, put, project, environment } = machine();
      run('codex');
      const { 'project/.codex/config.toml': opened = '' } = all();
      if (why === 'TODO_STATE_DIR') environment.TODO_STATE_DIR = join(project, '.lists');
      else put('home/.codex/config.toml', opened);
      expect(run('codex').stdout).toContain('unchanged  .codex/config.toml');
      run('codex', '--remove');
      expect(readdirSync(project).sort()).toEqual(['.git', 'src']);
    },
  );

  test('that is taken back is named once, and leaves no empty folder', () => {
    const { root, run } = machine();
    run('gemini', '--user');
    const rest = `unchanged  ~/.gemini/settings.json  (hooks)
unchanged  ~/.gemini/GEMINI.md  (instructions)
`;
    const removed = 'removed    ~/.gemini/policies/todowrite.toml  (policy)\n';
    const { stdout } = run('gemini', '--user', '--no-permission');
    expect(stdout).toBe(rest.replace('\n', `\n${removed}`));
    expect(run('gemini', '--user', '--no-permission').stdout).toBe(rest);
    expect(readdirSync(join(root, 'home/.gemini'))).not.toContain('policies');
    run('codex');
    run('codex', '--no-permission');
    expect(readdirSync(join(root, 'home'))).toEqual(['.gemini']);
  });

  test.each([
    ['a table of that name', '[sandbox_workspace_write]\nnetwork_access = true\n', 2],
    ['hooks', '[[hooks.Stop]]\n', 2],
    [
      'the folder already',
      'sandbox_workspace_write.writable_roots = ["~/.local/state/todowrite"]',
      1,
    ],
  ])('a config.toml with %s is added to, and put back to the byte', (_, text, values) => {
    const { all, run, put } = machine();
    put('project/.codex/config.toml', text);
    expect(run('codex')).toMatchObject({ stderr: '' });
    const written = all()['project/.codex/config.toml'] ?? '';
    const { sandbox_workspace_write } = parse(written);
    expect(sandbox_workspace_write).toMatchObject({
      writable_roots: ['~/.local/state/todowrite'],
    });
    expect(written === text).toBe(values === 1);
    run('codex', '--remove');
    expect(all()['project/.codex/config.toml']).toBe(text);
  });

  test.each(['project', 'home'])('other writable_roots, of the %s, are never replaced', (where) => {
    const { all, run, put } = machine();
    const roots = '[sandbox_workspace_write]\nwritable_roots = ["/data"]\n';
    put(`${where}/.codex/config.toml`, roots);
    const before = all();
    expect(run('codex').stderr).toMatch(/add .*~\/\.local\/state\/todowrite.*nothing was changed/);
    expect(all()).toEqual(before);
    put(`${where}/.codex/config.toml`, roots.replace('"]', '", "~/.local/state/todowrite"]'));
    expect(run('codex')).toMatchObject({ stderr: '', exitCode: 0 });
  });
});

describe('Kimi Code', () => {
  const CONFIG = 'home/.kimi-code/config.toml';
  const OURS = `[[hooks]]
event = "PostToolUse"
command = "agent-shell hook --dialect kimi"
matcher = "Shell"
timeout = 10

[[hooks]]
event = "Stop"
command = "agent-shell hook --dialect kimi --gate"
matcher = ""
timeout = 10
`;
  /** As an older setup wrote for Kimi CLI, and as Kimi Code takes it over: without comments. */
  const written = (hooks: string) => `default_model = "k"\n${hooks}\n[loop_control]\nmax = 1\n`;
  const hooksIn = (text = '') => (parse(text).hooks ?? []) as Record<string, unknown>[];

  test('its hooks are for all projects, as setup for a project says', () => {
    const { run, all, put } = machine();
    expect(run('kimi', '--gate')).toMatchObject({
      stderr: expect.stringContaining('has hooks for all projects only: --gate needs --user'),
      exitCode: 2,
    });
    expect(run('kimi').stdout).toContain('agent-shell setup kimi --user');
    expect(run('kimi', '--user', '--gate').stdout).not.toContain('setup kimi');
    const known = ['event', 'matcher', 'command', 'timeout'];
    for (const hook of hooksIn(all()[CONFIG])) {
      // It ignores a file with any other.
      expect(known).toEqual(expect.arrayContaining(Object.keys(hook)));
      const gate = hook.event === 'Stop' ? ' --gate' : '';
      expect(hook).toMatchObject({ command: `agent-shell hook${gate}`, timeout: 10 });
    }
    put(CONFIG, 'hooks = [{ event = "Stop", command = "mine" }]\n');
    expect(run('kimi', '--user').stderr).toContain('; write them as [[hooks]] tables;');
  });

  test('hooks that it took over from Kimi CLI are replaced, with their gate, and removed', () => {
    const { run, all, put } = machine();
    run('kimi', '--user', '--gate');
    const ours = hooksIn(all()[CONFIG]);
    put(CONFIG, written(`\n${OURS}`));
    expect(run('kimi', '--user').stdout).toContain('written');
    expect(hooksIn(all()[CONFIG])).toEqual(ours);
    run('kimi', '--user', '--remove');
    expect(all()[CONFIG]).toBe(written(''));
    put(CONFIG, written(`\n[[hooks]]\nevent = "Stop"\ncommand = "mine"\n\n${OURS}`));
    run('kimi', '--user', '--remove');
    expect(hooksIn(all()[CONFIG])).toEqual([{ event: 'Stop', command: 'mine' }]);
  });

  test('KIMI_CODE_HOME leads to the hooks of Kimi CLI, to remove them', () => {
    const { run, all, put, environment, home } = machine();
    const marked = `\n# BEGIN todowrite v1: kimi\n${OURS}# END todowrite\n`;
    put('home/.kimi/config.toml', `default_model = "k"\n${marked}`);
    environment.KIMI_CODE_HOME = `${home}/.kimi`;
    expect(run('kimi', '--user', '--remove')).toMatchObject({ stderr: '', exitCode: 0 });
    expect(all()).toEqual({ 'home/.kimi/config.toml': 'default_model = "k"\n' });
  });
});

test('its section is in the file that the user’s settings name, and found again where those of the project name another since', () => {
  const { run, put, all } = machine();
  const naming = (name: string) => `{"context":{"fileName":"${name}"}}\n`;
  put('home/.gemini/settings.json', naming('TEAM.md'));
  const before = all();
  run('gemini');
  expect(Object.keys(all())).toContain('project/TEAM.md');
  put('project/.gemini/settings.json', naming('AGENTS.md'));
  run('gemini', '--remove');
  expect(all()).toEqual({ ...before, 'project/.gemini/settings.json': naming('AGENTS.md') });
});

test.each<[agent: string, folder: string, file: string, others: Record<string, string>]>([
  ['codex', 'project/', 'AGENTS.override.md', { 'project/AGENTS.md': '# A\n' }],
  ['codex', 'home/.codex/', 'AGENTS.override.md', {}],
  ['codex', 'home/.codex/', 'AGENTS.md', { 'home/.codex/AGENTS.override.md': '\n' }],
  [
    'codex',
    'project/',
    'CLAUDE.md',
    { 'home/.codex/config.toml': 'project_doc_fallback_filenames = ["TEAM.md", "CLAUDE.md"]\n' },
  ],
  ['opencode', 'home/.claude/', 'CLAUDE.md', {}],
])(
  'what setup tells %s is in the file that it reads where there is %s%s',
  (agent, folder, file, others) => {
    const { run, put, all } = machine();
    for (const [name, text] of Object.entries({ [`${folder}${file}`]: '# Mine\n', ...others })) {
      put(name, text);
    }
    const before = all();
    const scope = folder === 'project/' ? '--project' : '--user';
    run(agent, scope);
    const told = Object.keys(all()).filter((name) => all()[name]?.includes('BEGIN todowrite v1: '));
    expect(told.filter((name) => name.endsWith('.md'))).toEqual([`${folder}${file}`]);
    run(agent, scope, '--remove');
    expect(all()).toEqual(before);
  },
);

test('who has a file that Codex reads in place of the committed one gets the section there, too; --remove finds both', () => {
  const { run, put, all } = machine();
  run('codex');
  put('project/AGENTS.override.md', '# Mine\n');
  expect(run('codex', '--check').stdout).toContain('missing  AGENTS.override.md');
  run('codex');
  expect(all()['project/AGENTS.md']).toContain('todowrite v1: codex');
  expect(all()['project/AGENTS.override.md']).toContain('todowrite v1: codex');
  run('codex', '--remove');
  expect(all()).toEqual({ 'project/AGENTS.override.md': '# Mine\n' });
});

test.each(['"../OUTSIDE.md"', '"sub/TEAM.md"', '7', '[null, "/TEAM.md"]'])(
  'a file name in settings that is none, such as %s, is not where the section goes',
  (name) => {
    const { run, put, all } = machine();
    put('project/.gemini/settings.json', `{"context":{"fileName":${name}}}`);
    expect(run('gemini')).toMatchObject({ stderr: '', exitCode: 0 });
    expect(Object.keys(all()).filter((file) => file.endsWith('.md'))).toEqual([
      'project/GEMINI.md',
    ]);
  },
);

describe('the user’s own settings stay', () => {
  const MARKED = '\ufeff{"a": 1}\r\n';
  const KIMI = 'default_model = "k"\nhooks = []\n\n[loop_control]\nmax = 1\n';
  const STOP = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mine"\n';
  const OPENCODE = '.opencode/plugin/todowrite.js';
  const GEMINI = '{// "fileName": "OLD.md"\n"context":{"fileName":["AGENTS.md"]}}\n';
  /** What setup adds goes into a file that is there, which --remove restores to the byte. */
  test.each<[what: string, agent: string, files: Record<string, string>, added?: string]>([
    ['a byte-order mark', 'claude', { '.claude/settings.json': MARKED, 'CLAUDE.md': MARKED }],
    ['nothing but a byte-order mark', 'cursor', { '.cursor/hooks.json': '\ufeff' }],
    ['hooks of Codex in its settings', 'codex', { '.codex/config.toml': STOP }, 'AGENTS.md'],
    [
      'a file that opencode reads without AGENTS.md',
      'opencode',
      { 'CLAUDE.md': '# A\n' },
      OPENCODE,
    ],
    ['a file that Gemini CLI names', 'gemini', { '.gemini/settings.json': GEMINI }, 'AGENTS.md'],
    ['an empty list of hooks of Kimi Code', 'kimi', { '../home/.kimi-code/config.toml': KIMI }],
  ])('%s', (_, agent, files, added) => {
    const { run, put, all } = machine();
    for (const [file, text] of Object.entries(files)) put(`project/${file}`, text);
    const before = all();
    const scope = agent === 'kimi' ? ['--user'] : [];
    expect(run(agent, ...scope)).toMatchObject({ stderr: '', exitCode: 0 });
    const after = all();
    for (const [name, text] of Object.entries(before)) {
      expect(after[name]).not.toBe(text);
      expect(after[name]?.startsWith('\xef\xbb\xbf')).toBe(text.startsWith('\xef\xbb\xbf'));
    }
    const more = Object.keys(after).filter((name) => !(name in before));
    if (added) expect(more).toEqual([`project/${added}`]);
    expect(run(agent, ...scope, '--remove').stdout).toMatch(/^((restored|removed) .*\n)+$/);
    expect(all()).toEqual(before);
  });

  test('a link, its target and the mode', () => {
    const { run, put, project } = machine();
    const target = put('project/dotfiles/settings.json', '{}');
    chmodSync(target, 0o640);
    mkdirSync(join(project, '.claude'));
    symlinkSync('../dotfiles/settings.json', join(project, '.claude', 'settings.json'));
    symlinkSync('notes/new.md', join(project, 'CLAUDE.md'));
    run('claude');
    expect(lstatSync(join(project, '.claude', 'settings.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toContain('agent-shell hook');
    expect(readFileSync(join(project, 'notes', 'new.md'), 'utf8')).toContain('TodoWrite');
    expect(statSync(target).mode & 0o777).toBe(0o640);
    // A new file has the mode that any program gives it.
    const plain = statSync(put('plain', '')).mode;
    expect(statSync(join(project, 'notes', 'new.md')).mode).toBe(plain);
    run('claude', '--remove');
    expect(readFileSync(target, 'utf8')).toBe('{}');
    expect(lstatSync(join(project, 'CLAUDE.md')).isSymbolicLink()).toBe(true);
  });

  test('a link out of the project is followed only after setup has said where it leads', () => {
    const { run, put, all, project } = machine();
    const target = put('dotfiles/CLAUDE.md', '# Mine\n');
    symlinkSync(target, join(project, 'CLAUDE.md'));
    const before = all();
    expect(run('claude')).toEqual({
      stdout: '',
      stderr: `agent-shell: ${project}/CLAUDE.md leads out of the project, to ${target}; --follow-links edits that; nothing was changed\n`,
      exitCode: 1,
    });
    expect(all()).toEqual(before);
    expect(run('claude', '--follow-links').exitCode).toBe(0);
    expect(readFileSync(target, 'utf8')).toMatch(/^# Mine\n\n<!-- BEGIN todowrite/);
    expect(run('claude').stdout).toMatch(/^unchanged .*\nunchanged /);
    expect(run('claude', '--remove').stderr).toContain(target);
    expect(run('claude', '--remove', '--follow-links').exitCode).toBe(0);
    expect(all()).toEqual(before);
  });

  test("a folder that leads out of the project counts as a link out of it; the user's own files may be links to anywhere", () => {
    const { run, put, root, project, home } = machine();
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync('../elsewhere', join(project, '.claude'));
    expect(run('claude').stderr).toContain(`to ${root}/elsewhere/settings.json`);
    expect(readdirSync(join(root, 'elsewhere'))).toEqual([]);
    const target = put('dotfiles/CLAUDE.md', '');
    mkdirSync(join(home, '.claude'));
    symlinkSync(target, join(home, '.claude', 'CLAUDE.md'));
    expect(run('claude', '--user').exitCode).toBe(0);
    expect(readFileSync(target, 'utf8')).toContain('TodoWrite');
  });

  const fifo = (path: string) => execFileSync('mkfifo', [path]);
  const device = (minor: string) => (path: string) =>
    execFileSync('mknod', [path, 'c', '1', minor]);
  const linkTo = (make: (path: string) => unknown) => (path: string) => {
    make(`${path}.target`);
    symlinkSync(`${path}.target`, path);
  };

  test.each([
    ['a FIFO', fifo],
    ['a folder', (path) => mkdirSync(path)],
    ['a link to a FIFO', linkTo(fifo)],
    ...(CAN_MAKE_DEVICES ? [['an endless device', device('5')]] : []),
    ...(CAN_MAKE_DEVICES ? [['a link to a device', linkTo(device('3'))]] : []),
  ] as [string, (path: string) => unknown][])('%s, in the place of a file', (_, make) => {
    const { run, project, home } = machine();
    for (const [scope, name] of [
      ['--project', join(project, 'CLAUDE.md')],
      ['--project', join(project, '.claude', 'settings.json')],
      ['--user', join(home, '.claude', 'CLAUDE.md')],
    ] as const) {
      mkdirSync(dirname(name), { recursive: true });
      make(name);
      const before = [identity(lstatSync(name)), identity(statSync(name))];
      for (const action of [[], ['--remove'], ['--follow-links']]) {
        expect(run('claude', scope, ...action)).toEqual({
          stdout: '',
          stderr: `agent-shell: ${name} is not a regular file; nothing was changed\n`,
          exitCode: 1,
        });
      }
      expect(run('claude', scope, '--check').stdout).toContain('unreadable');
      expect([identity(lstatSync(name)), identity(statSync(name))]).toEqual(before);
      rmSync(name, { recursive: true });
    }
  });
});

describe('all files are read and checked before the first is changed', () => {
  test.each([
    ['is not JSON', 'claude', '.claude/settings.json', '{"hooks": '],
    ['is not UTF-8', 'claude', '.claude/settings.json', '\xff'],
    ['do not pair', 'claude', 'CLAUDE.md', '<!-- END todowrite -->'],
    ['is not TOML', 'codex', '.codex/config.toml', 'a = '],
    ['runs no hooks', 'claude', '.claude/settings.json', '{"disableAllHooks": true}'],
    ['runs no hooks', 'qwen', '.qwen/settings.json', '{"disableAllHooks": true, "hooks": {}}'],
  ])('where one %s', (problem, agent, file, text) => {
    const { run, put, root, all } = machine();
    const name = `project/${file}`;
    put(name, '');
    writeFileSync(join(root, name), text, 'latin1');
    const { stdout, stderr, exitCode } = run(agent);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toMatch(
      new RegExp(`^agent-shell: ${join(root, name)} .*${problem}.*; nothing was changed\n$`),
    );
    expect(all()).toEqual({ [name]: text });
    expect(run(agent, '--check')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('unreadable'),
    });
  });

  test('and all problems are reported at once', () => {
    const { run, put, all } = machine();
    const path = put('project/AGENTS.md', 'A\n');
    chmodSync(path, 0o444);
    put('project/.opencode/plugin/todowrite.js', 'mine');
    const before = all();
    const { stderr, exitCode } = run('opencode');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/not written by agent-shell.*\n.*read-only/);
    expect(all()).toEqual(before);
    run('opencode', '--remove');
    expect(all()).toEqual(before);
  });

  test('where one cannot be written, no empty folder stays behind', () => {
    const { project } = machine();
    // Its temporary file's name is too long.
    const path = join(project, 'new', 'folder', 'x'.repeat(250));
    const edit = { path, change: () => 'text' };
    expect(() => editConfigs([edit], () => undefined)).toThrow('nothing was changed');
    expect(readdirSync(project).sort()).toEqual(['.git', 'src']);
  });

  test('where one cannot be put in its place after another has been, a second run completes the first', () => {
    const { put, all, project } = machine();
    const [first, second] = [put('project/a', 'A\n'), join(project, 'b')];
    const edits = [
      { path: first, change: (text = '') => (text.endsWith('more') ? text : `${text}more`) },
      { path: second, change: () => 'B' },
    ];
    // A folder appears in the file's place at the last moment.
    const refusal = (target: string) =>
      void (target === second && mkdirSync(join(second, 'of others'), { recursive: true }));
    expect(() => editConfigs(edits, refusal)).toThrow(
      'other files were changed: run it again once this is repaired',
    );
    expect(all()).toEqual({ 'project/a': 'A\nmore' });
    rmSync(second, { recursive: true });
    expect(editConfigs(edits, () => undefined)).toEqual(['unchanged', 'written']);
    expect(all()).toEqual({ 'project/a': 'A\nmore', 'project/b': 'B' });
  });

  test('where the first cannot be put in its place, nothing was changed', () => {
    const { run, project } = machine();
    symlinkSync('/proc/none/AGENTS.md', join(project, 'AGENTS.md'));
    const { stderr, exitCode } = run('agents', '--follow-links');
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/; nothing was changed\n$/)]);
  });
});

test('while programs set up the same file at once, it is whole at any moment', async () => {
  const { project, home, put } = machine();
  const file = put('project/AGENTS.md', 'A\n');
  let running = 4;
  const ends = ['codex', 'opencode', 'cursor', 'agents'].map((name) => {
    const argv = [executable('agent-shell'), 'setup', name];
    const env = cleanEnvironment({ HOME: home });
    const child = spawn(process.execPath, argv, { cwd: project, env, stdio: 'ignore' });
    return once(child, 'close').finally(() => {
      running -= 1;
    });
  });
  const whole = /^A\n(\n<!-- BEGIN todowrite v1: [\s\S]*<!-- END todowrite -->\n)?$/;
  for (; running > 0; await setImmediate()) expect(readFileSync(file, 'utf8')).toMatch(whole);
  expect(await Promise.all(ends)).toEqual(ends.map(() => [0, null]));
  expect(listFiles(project).filter((name) => name.endsWith('~'))).toEqual([]);
});

describe('--check', () => {
  test("names the shells that find the commands, the folder of lists, the hook's errors, and the setting to change if the folder cannot be written", () => {
    const { run, environment, put, home } = machine();
    environment.PATH = '/usr/bin:/bin';
    const { stdout, exitCode } = run('--check');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^ {2}missing {2}a login shell \(bash -lc\) does not find TodoWrite/m);
    expect(stdout).toMatch(/^ {2}ok {7}bash \S+ \d/m);
    expect(stdout).toContain(`lists are in ${home}/.local/state/todowrite`);
    put('home/.local/state/todowrite/hook.log~', '2026-11-21T12:00:00.000Z Stop: it broke\n');
    expect(run('--check').stdout).toContain('Stop: it broke');
    environment.TODO_STATE_DIR = '/proc/lists';
    expect(run('--check').stdout).toMatch(
      /missing {2}lists cannot be written in \/proc\/lists: \w+; set TODO_STATE_DIR/,
    );
    environment.TODO_STATE_DIR = join(home, 'loop');
    symlinkSync('loop', join(home, 'loop'));
    expect(run('--check').stdout).toMatch(/lists cannot be written in \S+\/loop: ELOOP;/);
  });

  test('notes that lists are outside the work tree, where a sandbox may deny them', () => {
    const { run, environment, project } = machine();
    for (const [folder, isNoted] of [
      [`${project}/.lists`, false],
      [project, false],
      [`${project}-lists`, true],
    ] as const) {
      environment.TODO_STATE_DIR = folder;
      expect(run('--check').stdout.includes('outside the work tree')).toBe(isNoted);
    }
  });

  test('says what to add to which file; for an agent that needs no login shell, that one is a note', () => {
    const { run, environment, put, root } = machine();
    for (const name of ['TodoWrite', 'TodoRead', 'agent-shell']) {
      chmodSync(put(`own bin/${name}`, '#!/bin/sh\n'), 0o755);
    }
    const line = `export PATH='${root}/own bin':"$PATH"`;
    const node = dirname(process.execPath);
    environment.PATH = `${root}/own bin:${node}:/usr/bin:/bin`;
    run('claude');
    run('codex');
    const ofClaude = run('claude', '--check');
    expect(ofClaude.stdout).toContain(`note     a login shell (bash -lc) does not find TodoWrite`);
    expect(ofClaude).toMatchObject({ exitCode: 0 });
    expect(run('codex', '--check').exitCode).toBe(1);
    expect(run('--check').stdout).toMatch(/missing {2}a login shell .*; add to ~\/\.profile: /);
    run('codex', '--remove');
    expect(run('--check').exitCode).toBe(0);
    put('home/.bash_profile', `${line}\nPATH=$PATH:${node}\necho Welcome\n`);
    const { stdout } = run('--check');
    expect(stdout).toContain(
      `ok       a login shell (bash -lc) finds the commands in ${root}/own bin\n`,
    );
    expect(stdout).toContain(`ok       Node ${process.version} ${process.execPath}\n`);
    put('home/.bash_profile', '');
    expect(run('--check').stdout).toContain(`; add to ~/.bash_profile: ${line}\n`);
    environment.PATH = '/usr/bin:/bin';
    const started = {
      '/bin/bash': '.bashrc',
      '/bin/zsh': '.zshrc',
      fish: '.config/fish/config.fish',
    };
    for (const [shell, file] of Object.entries(started)) {
      environment.SHELL = shell;
      expect(run('claude', '--check').stdout).toContain(`; add to ~/${file}: ${line}\n`);
    }
  });

  test('npx finds the commands for the time of one call, so they count as missing, and no line would help', () => {
    const { run, environment, put, root } = machine();
    for (const name of ['TodoWrite', 'TodoRead', 'agent-shell']) {
      chmodSync(put(`_npx/1/node_modules/.bin/${name}`, '#!/bin/sh\n'), 0o755);
    }
    environment.PATH = `${root}/_npx/1/node_modules/.bin:/usr/bin:/bin`;
    expect(run('claude').stdout).not.toContain('agent-shell is not on PATH');
    run('claude', '--remove');
    environment.npm_command = 'exec';
    expect(run('claude').stdout).toContain('agent-shell is not on PATH');
    const { stdout } = run('claude', '--check');
    expect(stdout).toMatch(/missing +bash does not find .*; to install them: docs\/install\.md\n/);
    expect(stdout).not.toContain('_npx');
  });

  test('where no folder has all commands, as in a checkout, it names no line that would not help', () => {
    const { run, environment, put, root } = machine();
    for (const name of ['TodoWrite', 'TodoRead']) {
      chmodSync(put(`dist/bin/commands/${name}`, '#!/bin/sh\n'), 0o755);
    }
    for (const path of [`${root}/dist/bin/commands:/usr/bin:/bin`, '/usr/bin:/bin']) {
      environment.PATH = path;
      const { stdout } = run('claude', '--check');
      expect(stdout).toMatch(
        /bash does not find .*agent-shell; to install them: docs\/install\.md\n/,
      );
      expect(stdout).not.toContain('export PATH');
    }
  });

  test('setup itself says so, if PATH has no agent-shell for the hooks that it writes', () => {
    const { run, environment, put, root } = machine();
    environment.PATH = '/usr/bin:/bin';
    expect(run('claude').stdout).toMatch(
      /\)\nmissing {4}agent-shell is not on PATH; to install it: docs\/install\.md\n\nRestart /,
    );
    chmodSync(put('own bin/agent-shell', '#!/bin/sh\n'), 0o755);
    environment.PATH = `${root}/own bin:/usr/bin:/bin`;
    run('claude', '--remove');
    expect(run('claude').stdout).not.toContain('missing');
  });

  test.each(['claude', 'codex'])(
    '%s ignores a file with a comment, so setup and --check name it',
    (name) => {
      const { run, put, all } = machine();
      const file = `project/.${name}/${name === 'claude' ? 'settings' : 'hooks'}.json`;
      const path = put(file, '{} // mine\n');
      const problem = 'has a comment at line 1, column 4: the agent ignores all of such a file';
      expect(run(name).stderr).toBe(`agent-shell: ${path} ${problem}; nothing was changed\n`);
      expect(all()).toEqual({ [file]: '{} // mine\n' });
      put(file, '');
      run(name);
      put(file, `${all()[file]}// mine\n`);
      expect(run(name, '--check').stdout).toMatch(
        /unreadable .*\(hooks\): has a comment at line \d+/,
      );
      run(name, '--remove');
      expect(all()[file]).not.toContain('agent-shell');
    },
  );

  test("a project's setup of Claude Code names your own settings if Claude Code ignores them", () => {
    const { run, put } = machine();
    put('home/.claude/settings.json', '{} // mine\n');
    expect(run('claude').stdout).toContain(
      'unreadable ~/.claude/settings.json  (hooks): has a comment at line 1, column 4',
    );
    run('claude', '--remove');
    put('home/.claude/settings.json', '{"model":"x",}\n');
    expect(run('claude').stdout).toContain(
      'unreadable ~/.claude/settings.json  (hooks): is not JSON',
    );
    run('claude', '--remove');
    put('home/.claude/settings.json', '{"model":"x"}\n');
    expect(run('claude').stdout).not.toContain('unreadable');
  });

  test.each([
    ['claude', '.claude/settings.json', 'Bash|Edit|Write|NotebookEdit', 'Bash'],
    ['cursor', '.cursor/hooks.json', 'Shell|Write|Delete', 'Shell'],
  ])(
    'hooks of %s from an older setup are outdated, and setup brings them up to date',
    (agent, file, now, before) => {
      const { run, put, all } = machine();
      run(agent);
      const newest = all();
      put(`project/${file}`, newest[`project/${file}`]?.replace(`"${now}"`, `"${before}"`) ?? '');
      expect(all()).not.toEqual(newest);
      expect(run(agent, '--check').stdout).toContain(`outdated ${file}`);
      expect(run(agent).stdout).toContain(`written    ${file}`);
      expect(all()).toEqual(newest);
    },
  );

  test('an entry that the user shares with our hook keeps its matcher', () => {
    const { run, put, all } = machine();
    run('claude');
    const file = 'project/.claude/settings.json';
    const settings = JSON.parse(all()[file] ?? '');
    settings.hooks.PostToolUse[0].matcher = 'Bash';
    settings.hooks.PostToolUse[0].hooks.push({ type: 'command', command: 'mine' });
    put(file, JSON.stringify(settings));
    expect(run('claude').stdout).toContain('unchanged  .claude/settings.json');
  });

  test('a file of the user has nothing of setup yet, or something older', () => {
    const { run, put } = machine();
    put('project/CLAUDE.md', '# Mine\n');
    expect(run('claude', '--check').stdout).toContain('missing  CLAUDE.md');
    put('project/CLAUDE.md', '<!-- BEGIN todowrite v0: claude -->\nold\n<!-- END todowrite -->\n');
    expect(run('claude', '--check').stdout).toContain('outdated CLAUDE.md');
  });
});

test.each([
  [
    ['klingon'],
    "unknown agent 'klingon'; choose claude, codex, gemini, qwen, opencode, cursor, kimi, crush or agents",
  ],
  [['claude', 'codex'], 'setup takes no argument codex'],
  [['claude', '--check', '--remove'], '--check and --remove cannot be combined'],
  [['claude', '--project', '--user'], '--project and --user cannot be combined'],
  [
    ['--remove'],
    'setup --remove needs a harness: claude, codex, gemini, qwen, opencode, cursor, kimi, crush, agents',
  ],
  [['agents', '--user'], 'agents is for projects only: each harness has its own file for --user'],
])('%j is no request: %s', (argv, problem) => {
  const { stdout, stderr, exitCode } = machine().run(...argv);
  expect([stdout, exitCode]).toEqual(['', 2]);
  const said = `agent-shell: ${problem}; see agent-shell setup --help\n`;
  expect(stderr.replace(/\n(?=.)/g, ' ')).toBe(said);
});
