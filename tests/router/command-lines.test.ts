import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JsonlClient } from '../helpers/agent-shell.ts';
import { readTable } from '../helpers/table.ts';

interface Row {
  name: string;
  line: string;
  type: string;
  exitCode: number;
  /** The list afterwards, if it changes. */
  items?: object[];
  stdout?: string;
  stderrMatches?: string;
}

const ROWS = readTable<Row>(join(import.meta.dirname, 'command-lines.jsonl'));
const PRESET = ['pending', 'in_progress', 'completed'].map((status, index) => ({
  content: `Preset ${index}`,
  activeForm: `Presetting ${index}`,
  status,
}));

const host = JsonlClient.shared();

test.each(ROWS)('a command line that an agent sends: $name', async (row) => {
  const client = host();
  const preset = await client.send(`TodoWrite '${JSON.stringify({ todos: PRESET })}'`);
  expect(preset.exitCode).toBe(0);
  const result = await client.send(row.line);
  expect([result.type, result.exitCode]).toEqual([row.type, row.exitCode]);
  if (row.stdout !== undefined) expect(result.stdout).toBe(row.stdout);
  expect(result.stderr).toMatch(new RegExp(row.stderrMatches ?? ''));
  const list = await client.send('TodoRead --json');
  expect(JSON.parse(list.stdout).todos).toEqual(row.items ?? PRESET);
});
