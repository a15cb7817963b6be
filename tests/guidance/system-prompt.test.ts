import { execFileSync } from 'node:child_process';
import { estimateTokenCount as tokens } from 'tokenx';
import { expect, test } from 'vitest';
import type { AgentBashHandler } from '../../src/base/command/agent-command.ts';
import { systemPrompt } from '../../src/guidance/system-prompt.ts';
import { BashRouter } from '../../src/shell/router/bash-router.ts';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { Team } from '../tasks/team.ts';
import { shellThat } from './agent-session.ts';

const command = (name: string, summary?: string): AgentBashHandler => ({
  name,
  ...(summary !== undefined && { summary }),
  execute: async () => ({ stdout: '', stderr: '', exitCode: 0 }),
});

test('the text is under 400 tokens, and under 550 with the commands on tasks', () => {
  expect(tokens(systemPrompt())).toBeLessThan(400);
  const tasks = [...new Team().handlers.values()];
  const commands = [new TodoWriteHandler(), new TodoReadHandler(), ...tasks];
  const text = systemPrompt({ commands, agent: 'backend-worker-1' });
  expect(text).toContain('- TaskCreate: ');
  expect(tokens(text)).toBeLessThan(550);
  for (const more of [{}, { agent: 'claude-opus-4-frontend-worker-0123456789abcdef' }]) {
    expect(tokens(systemPrompt({ commands, ...more }))).toBeLessThan(550);
  }
});

test('it names the limits that hold, and who the model is', () => {
  const text = systemPrompt({ limits: { maxItems: 3, maxContentLength: 5 } });
  expect(text).toContain('At most 3 items, 5 characters a text');
  const commands = [command('TaskClaim')];
  expect(systemPrompt({ commands, agent: 'a\x1b' })).toContain('You are agent a␛. ');
  expect(systemPrompt({ commands })).toContain('Say who you are with --agent NAME. ');
});

test('it says which commands there are, when to plan and when not, and the three states', () => {
  const text = systemPrompt();
  for (const words of [
    '- TodoWrite: ',
    '- TodoRead: ',
    'three or more steps',
    'one hard step',
    'not for one easy step',
    'smaller steps',
    'required',
    'clears it',
  ]) {
    expect(text).toContain(words);
  }
  for (const status of ['pending', 'in_progress', 'completed']) expect(text).toContain(status);
});

test('its example, pasted into bash, is a valid call', async () => {
  const [example = ''] = /^TodoWrite <<[\s\S]*?^EOF$/m.exec(systemPrompt()) ?? [];
  const json = execFileSync('bash', ['-c', `TodoWrite() { cat; }\n${example}`], {
    encoding: 'utf8',
  });
  const store = new TodoStore();
  const result = await new TodoWriteHandler(store).execute({ argv: [json], stdin: async () => '' });
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(store.get().items).toHaveLength(2);
});

test("a host's own command is in it, as registered with the router", () => {
  const router = new BashRouter({ shell: shellThat() });
  router.register(command('Deploy', 'puts a branch on the\ntest server'));
  router.register(command('Mystery'));
  const text = systemPrompt({ commands: router.commands });
  expect(text).toContain('- TodoWrite: ');
  expect(text).toContain(
    '\n- Deploy: puts a branch on the test server\n- Mystery: see Mystery --help\n',
  );
});

test('without TodoWrite there is nothing of planning, and without commands nothing at all', () => {
  const text = systemPrompt({ commands: [command('Deploy', 'deploys')] });
  expect(text).toBe('Your bash has these commands of its own:\n- Deploy: deploys\n');
  expect(systemPrompt({ commands: [] })).toBe('');
});
