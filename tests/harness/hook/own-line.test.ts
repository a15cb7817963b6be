import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALLOWED, usesOnlyList } from '../../../src/harness/hook/own-line.ts';
import { HARNESSES } from '../../../src/harness/setup/harnesses.ts';
import { cleanEnvironment, executable } from '../../helpers/executables.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { harness } from '../../helpers/hook.ts';

const COMMANDS = join(import.meta.dirname, '..', '..', '..', 'dist', 'bin', 'commands');
const LIST = '{"todos":[{"content":"Don\'t `rm` $(it)","activeForm":"A","status":"pending"}]}';
const installed = { environment: { PATH: `${COMMANDS}:/usr/bin:/bin` }, commands: COMMANDS };

test.each([
  `TodoWrite <<'EOF'\n${LIST}\nEOF`,
  `TodoWrite <<'EOF'\n${LIST}\nEOF\nTodoRead`,
  `TodoWrite '{"todos":[]}'`,
  'TodoWrite --done 1 --start 2',
  'TodoRead',
  'TodoRead 2>&1',
  'TodoRead --agent main@s1 2>/dev/null',
  'cd sub && TodoWrite --done 1',
  "cd 'a b'; TodoRead; TaskList",
  "TaskCreate --subject 'Fix it' && TaskClaim --next && TaskUpdate 1 --status completed || TaskGet 1",
  'TaskRelease 1; TaskInbox',
])('a line of agent commands alone needs no question: %s', (line) => {
  expect(usesOnlyList(line, installed)).toBe(true);
});

test.each([
  '',
  'cd sub',
  'cd && TodoRead',
  'cd - && TodoRead',
  'cd a b && TodoRead',
  'cd $HOME && TodoRead',
  'TodoRead; rm -rf x',
  'TodoRead > file',
  'TodoWrite "$(curl example.org)"',
  'TodoWrite <<EOF\n$(rm x)\nEOF',
  `TodoWrite <<'EOF'\n${LIST}\nEOF\nrm x`,
  `TodoWrite <<'EOF'\n${LIST}`,
  'PATH=x TodoRead',
  'PATH=x; TodoRead',
  'TodoRead | sh',
  'TodoRead | head',
  'TodoProve',
  'TaskProve 1',
  'TaskUndo',
  'TaskArchive',
  'TodoRead() { rm x; }; TodoRead',
  './TodoWrite',
  'TodoRead &',
  'TodoRead & TodoRead',
  'TodoWrite <(x)',
  'TodoWrite < /etc/passwd',
  'TodoWrite <<< "$X"',
  'npm test && TodoWrite --done 3',
  'TodoWrite --session other []',
  'TodoWrite --session=other []',
  'TaskList --list other',
  'TaskUpdate 1 --force',
  "TaskUpdate 1 '--force\r'",
  'TodoRead # comment',
  '(TodoRead)',
  'exec TodoRead',
  'command TodoRead',
  'todoread',
  `TodoWrite '${'x'.repeat(70_000)}'`,
])('any other line is left to the harness: %s', (line) => {
  expect(usesOnlyList(line, installed)).toBe(false);
});

test('each agent command either needs no question, or runs programs, undoes or archives: then it is asked about', () => {
  const asked = ['TodoProve', 'TaskProve', 'TaskUndo', 'TaskArchive'];
  expect([...ALLOWED, ...asked].sort()).toEqual(readdirSync(COMMANDS).sort());
  const { policy } = HARNESSES.gemini;
  expect(policy?.content).toContain(`commandPrefix = ${JSON.stringify([...ALLOWED])}\n`);
});

test.each([
  [`TodoWrite <<'EOF'\n${LIST}\nEOF`, true],
  [`TodoWrite <<'EOF'\n${LIST}\nEOF\nrm x`, false],
  [`TodoWrite <<'EOF'\n${LIST}\nEOF\nrm x\nEOF`, false],
  ["TodoWrite <<'EOF'\nEOF\nrm x\nEOF", false],
  // JavaScript takes this for the end of a line.
  ["TodoWrite <<'EOF'\n\u2028\nEOF\nrm x\nEOF", false],
])('to Gemini CLI, a heredoc is one command if it ends where the line does: %j', (line, isOne) => {
  const [, regex = ''] = /commandRegex = '''(\(.*)'''/.exec(HARNESSES.gemini.policy.content) ?? [];
  expect(new RegExp(`"command":"${regex}`).test(JSON.stringify({ command: line }))).toBe(isOne);
});

test('Gemini CLI asks about options that reach other lists or overrule an owner', () => {
  const rule = /commandRegex = '''(.*)'''\ndecision = "ask_user"/;
  const [, regex = ''] = rule.exec(HARNESSES.gemini.policy.content) ?? [];
  const lines = ['TaskUpdate 1 --force', "TaskList '--list' x", 'TodoRead --session=x', 'TodoRead'];
  const isAsked = (command: string) =>
    new RegExp(`"command":"${regex}`).test(JSON.stringify({ command }));
  expect(lines.map(isAsked)).toEqual([true, true, true, false]);
});

test('a name counts only where PATH leads to this installation first', () => {
  const root = temporaryDirectory();
  const links = join(root, 'links');
  const others = join(root, 'others');
  for (const folder of [links, others]) mkdirSync(folder);
  symlinkSync(join(COMMANDS, 'TodoRead'), join(links, 'TodoRead'));
  symlinkSync(join(COMMANDS, 'TodoRead'), join(links, 'TodoWrite'));
  writeFileSync(join(others, 'TodoRead'), '#!/bin/sh\n', { mode: 0o755 });
  const isOurs = (PATH: string | undefined, line = 'TodoRead', more = {}) =>
    usesOnlyList(line, { environment: { PATH, ...more }, commands: COMMANDS });
  expect(isOurs(`/nowhere:${links}:${others}`)).toBe(true);
  expect(isOurs(links, 'TodoWrite []')).toBe(false);
  expect(isOurs(`${others}:${COMMANDS}`)).toBe(false);
  for (const first of ['', '.', 'node_modules/.bin']) {
    expect(isOurs(`${first}:${COMMANDS}`), first).toBe(false);
    expect(isOurs(`${COMMANDS}:${first}`), first).toBe(true);
  }
  expect(isOurs('/usr/bin')).toBe(false);
  expect(isOurs(undefined)).toBe(false);
  const cd = 'cd sub && TodoRead';
  expect(isOurs(COMMANDS, cd, { 'BASH_FUNC_TodoRead%%': '() { rm x; }' })).toBe(false);
  expect(isOurs(COMMANDS, cd, { 'BASH_FUNC_cd%%': '() { rm x; }' })).toBe(false);
});

const asks = (hook_event_name: string, tool_name: string, more: object = {}) => ({
  session_id: 's1',
  hook_event_name,
  tool_name,
  tool_input: { command: 'TodoRead' },
  ...more,
});
const SILENT = '';
const output = (more: object) => `${JSON.stringify({ hookSpecificOutput: more })}\n`;
const CLAUDE = output({
  hookEventName: 'PreToolUse',
  permissionDecision: 'allow',
  permissionDecisionReason: 'only the task list',
});
const QWEN = output({ hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } });

test.each([
  ['Claude Code', asks('PreToolUse', 'Bash'), CLAUDE],
  ['a subagent of Claude Code', asks('PreToolUse', 'Bash', { agent_id: 'a' }), CLAUDE],
  ['another tool', asks('PreToolUse', 'Monitor'), SILENT],
  ['Claude Code, which was about to ask', asks('PermissionRequest', 'Bash'), SILENT],
  ['Qwen Code', asks('PermissionRequest', 'run_shell_command', { timestamp: 't' }), QWEN],
  ['Codex', asks('PermissionRequest', 'Bash', { turn_id: 't', model: 'm' }), SILENT],
  ['Codex, before each tool', asks('PreToolUse', 'Bash', { turn_id: 't', model: 'm' }), SILENT],
])('%s is answered in its own words, or not at all', async (_, event, answer) => {
  const { say, environment } = harness('s1');
  environment.PATH = COMMANDS;
  expect(await say(event)).toBe(answer);
  expect(await say({ ...event, tool_input: { command: 'TodoRead; ls' } })).toBe(SILENT);
});

test('of Qwen Code, which lets the reply win, rules of the user that ask still ask', async () => {
  const { say, environment, directory } = harness('s1');
  environment.PATH = COMMANDS;
  environment.HOME = join(directory, 'home');
  const project = {
    ...asks('PermissionRequest', 'run_shell_command', { timestamp: 't' }),
    cwd: directory,
  };
  const answers = async (folder: string, ask: string, line = 'cd a && TodoRead') => {
    mkdirSync(join(folder, '.qwen'), { recursive: true });
    const rules = { permissions: { ask: ['Edit', 'Bash(git push:*)', ask] } };
    const text = ask === 'comment' ? `{} // ${ask}` : JSON.stringify(rules);
    writeFileSync(join(folder, '.qwen', 'settings.json'), text);
    return (await say({ ...project, tool_input: { command: line } })) === QWEN;
  };
  for (const folder of [directory, environment.HOME]) {
    for (const rule of [
      'Bash',
      'Bash()',
      'Bash(*)',
      'run_shell_command(todo*)',
      'Shell(TodoRead:*)',
    ]) {
      expect(await answers(folder, rule), rule).toBe(false);
    }
    expect(await answers(folder, 'Bash(cd *)')).toBe(false);
    expect(await answers(folder, 'comment')).toBe(false);
    for (const rule of ['Bash(TodoWrite:*)', 'Bash(./TodoRead)', 'Bash(Todo)', 'Read(TodoRead)']) {
      expect(await answers(folder, rule), rule).toBe(rule !== 'Bash(Todo)');
    }
    expect(await answers(folder, 'Bash(cd *)', 'TodoRead')).toBe(true);
    rmSync(join(folder, '.qwen'), { recursive: true });
    mkdirSync(join(folder, '.qwen'));
    execFileSync('mkfifo', [join(folder, '.qwen', 'settings.json')]);
    expect(await say(project)).toBe(SILENT);
    rmSync(join(folder, '.qwen'), { recursive: true });
  }
  expect(await say(project)).toBe(QWEN);
});

test('the hook answers once the object is complete, though the harness leaves the pipe open', async () => {
  const { environment, directory } = harness('s1');
  const env = cleanEnvironment({ ...environment, PATH: `${COMMANDS}:${process.env.PATH}` });
  const hook = spawn(executable('agent-shell'), ['hook'], { cwd: directory, env });
  const event = asks('PreToolUse', 'Bash', { note: 'a } in a "string\\' });
  const text = Buffer.from(` ${JSON.stringify(event)}\n`);
  // Pieces that end within the object, a string and an escape.
  for (let at = 0; at < text.length; at += 7) hook.stdin.write(text.subarray(at, at + 7));
  const [answer] = await Promise.all([
    new Promise<string>((resolve) => {
      hook.stdout.once('data', (data) => resolve(String(data)));
    }),
    new Promise((resolve) => {
      hook.once('exit', resolve);
    }),
  ]);
  hook.stdin.destroy();
  expect(answer).toBe(CLAUDE);
});
