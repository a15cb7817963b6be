import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentSession } from './agent-session.ts';
import { type Replay, replay } from './transcript.ts';

const FOLDER = join(import.meta.dirname, 'transcripts');
const MOST_ADDED = 0.01;

const names = readdirSync(FOLDER).sort();
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const replays = new Map<string, Replay>();
for (const name of names) replays.set(name, await replay(read(name), agentSession()));

test.each(names)('%s: the guidance at each step', async (name) => {
  await expect(replays.get(name)?.text).toMatchFileSnapshot(join(FOLDER, name));
});

test('there are twelve sessions, and one of 200 commands', () => {
  expect(names).toHaveLength(12);
  expect(Math.max(...[...replays.values()].map(({ commands }) => commands))).toBe(200);
});

test('over all of them guidance adds under 1% to what the model reads', () => {
  const sum = (key: 'guidanceBytes' | 'outputBytes') =>
    [...replays.values()].reduce((total, each) => total + each[key], 0);
  expect(sum('guidanceBytes')).toBeGreaterThan(0);
  expect(sum('guidanceBytes') / sum('outputBytes')).toBeLessThan(MOST_ADDED);
});
