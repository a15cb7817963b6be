import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentSession, items, notesOf, writeLine } from './agent-session.ts';

/**
 * A recorded session. A line that begins with `#` is a remark. For each line of the agent: its exit code, the number of bytes
 * that it printed, how often it ran and, after `$ `, the line; below it, indented, its further lines after `> `, the list that
 * it wrote (`[...]` is the same as before), and the expected guidance.
 *
 *     1  4210 x2 $ npm test
 *                $ TodoWrite
 *                    [>] Fix it <- Fixing it
 *                    Note: ...
 */
const STEP = /^(?:(\d+) +(\d+)(?: x(\d+))?| +) \$ (.*)\n((?: {10,}.*\n)*)/gm;

const INDENT = ' '.repeat(14);

interface Replay {
  /** The transcript with the actual guidance. */
  text: string;
  /** The bytes that the agent read from commands, and from guidance. */
  outputBytes: number;
  guidanceBytes: number;
}

async function replay(transcript: string): Promise<Replay> {
  const session = agentSession();
  const replayed = { text: transcript.replace(STEP, ''), outputBytes: 0, guidanceBytes: 0 };
  for (const found of transcript.matchAll(STEP)) {
    const [step, exitCode = '0', bytes = '0', times = '1', first = '', rest = ''] = found;
    const below = rest.split('\n').map((line) => line.trim());
    const more = below.filter((each) => each.startsWith('> ')).map((each) => each.slice(2));
    const line = [first, ...more].join('\n');
    const marked = below.filter((each) => each.startsWith('['));
    const list = /^\[(\.\.\.)?\]$/.test(marked[0] ?? '')
      ? session.store.get().items.slice(marked[0] === '[]' ? Infinity : 0)
      : items(...marked);
    replayed.text += step.replace(/^ +Note: .*\n/gm, '');
    for (let time = 0; time < Number(times); time++) {
      const result =
        line === 'TodoWrite'
          ? await session.router.route(writeLine(list))
          : await session.run(line, {
              exitCode: Number(exitCode),
              stdout: 'x'.repeat(Number(bytes)),
              ...(marked.length > 0 && { list }),
            });
      const reminders = result.reminders ?? [];
      for (const each of [...notesOf(result), ...reminders.flatMap((text) => text.split('\n'))]) {
        replayed.text += `${INDENT}${each}\n`;
        replayed.guidanceBytes += Buffer.byteLength(`${each}\n`);
      }
      replayed.outputBytes += Buffer.byteLength(result.stdout);
    }
  }
  return replayed;
}

const FOLDER = join(import.meta.dirname, 'transcripts');

const names = readdirSync(FOLDER).sort();
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const replays = new Map<string, Replay>();
for (const name of names) replays.set(name, await replay(read(name)));

test.each(names)('%s: the guidance at each step', async (name) => {
  await expect(replays.get(name)?.text).toMatchFileSnapshot(join(FOLDER, name));
});

test('over all of them guidance adds under 1% to what the model reads', () => {
  const sum = (key: 'guidanceBytes' | 'outputBytes') =>
    [...replays.values()].reduce((total, each) => total + each[key], 0);
  expect(sum('guidanceBytes')).toBeGreaterThan(0);
  expect(sum('guidanceBytes') / sum('outputBytes')).toBeLessThan(0.01);
});
