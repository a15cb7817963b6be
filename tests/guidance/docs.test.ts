import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CommandType } from '../../src/command/agent-command.ts';
import { COMMAND_KINDS, type CommandKind } from '../../src/guidance/command-kinds.ts';
import { outcomeOf } from '../../src/guidance/command-outcome.ts';
import { GUIDANCE_RULES } from '../../src/guidance/rules.ts';

const page = readFileSync('docs/guidance.md', 'utf8');
const rows = [...page.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));

test('the page lists each rule with its kind', () => {
  const rules = rows.filter(([name]) => name?.startsWith('`'));
  expect(rules.map(([name, kind]) => [name, kind])).toEqual(
    GUIDANCE_RULES.map(({ name, kind }) => [`\`${name}\``, kind]),
  );
});

test('each command that the page names is one of its kind', () => {
  const kinds = rows.filter(([kind = '']) => Object.hasOwn(COMMAND_KINDS, kind));
  expect(kinds.map(([kind]) => kind)).toEqual(Object.keys(COMMAND_KINDS));
  for (const [kind, commands = ''] of kinds) {
    for (const [, line = ''] of commands.matchAll(/`([^`]+)`/g)) {
      const command = { line, type: CommandType.NATIVE_SHELL_COMMAND, exitCode: 0 };
      expect([line, outcomeOf(command, kind as CommandKind)]).toEqual([line, 'passed']);
    }
  }
});
