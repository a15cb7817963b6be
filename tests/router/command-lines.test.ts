import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JsonlClient } from '../helpers/agent-shell.ts';

interface Case {
  name: string;
  line: string;
  type: string;
  expect: {
    exitCode: number;
    /** The list afterwards; null: as it was. */
    items: object[] | null;
    stdout?: string;
    stderrMatches?: string;
  };
  forgiven?: boolean;
}

const read = (file: string): Case[] => JSON.parse(readFileSync(file, 'utf8'));

// The cases that agents really send, and more of them where the collection has grown.
const own = read(join(import.meta.dirname, 'command-lines.json'));
const sharedFile = join(import.meta.dirname, '../../../shared/command-lines.json');
const known = new Set(own.map(({ name }) => name));
const more = existsSync(sharedFile) ? read(sharedFile).filter(({ name }) => !known.has(name)) : [];

const PRESET = ['pending', 'in_progress', 'completed'].map((status, index) => ({
  content: `Preset ${index}`,
  activeForm: `Presetting ${index}`,
  status,
}));

const host = JsonlClient.shared();

test.each([...own, ...more].map((entry) => [entry.name, entry] as const))(
  'a command line that an agent sends: %s',
  async (_name, { line, type, expect: expected, forgiven }) => {
    const client = host();
    const preset = await client.send(`TodoWrite '${JSON.stringify({ todos: PRESET })}'`);
    expect(preset.exitCode).toBe(0);
    const result = await client.send(line);
    expect([result.type, result.exitCode]).toEqual([type, expected.exitCode]);
    if (expected.stdout !== undefined) expect(result.stdout).toBe(expected.stdout);
    if (expected.stderrMatches !== undefined) {
      expect(result.stderr).toMatch(new RegExp(expected.stderrMatches));
    }
    if (forgiven) expect(result.stderr).toMatch(/^Note: [^\n]+\n/);
    const list = await client.send('TodoRead --json');
    const { todos } = JSON.parse(list.stdout);
    expect(todos).toEqual(expected.items ?? PRESET);
  },
);
