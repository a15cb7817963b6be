import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeHost } from './helpers/examples.ts';
import { cleanEnvironment } from './helpers/executables.ts';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLES = join(ROOT, 'examples');

/** A project that uses this package, with the examples in it. */
let directory = '';

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'todowrite-examples-')));
  makeHost(directory);
  for (const name of readdirSync(EXAMPLES)) {
    copyFileSync(join(EXAMPLES, name), join(directory, name));
    if (!name.endsWith('.ts')) continue;
    const source = readFileSync(join(EXAMPLES, name), 'utf8');
    const { code } = transformSync(source, { loader: 'ts', format: 'esm' });
    writeFileSync(join(directory, name.replace(/\.ts$/, '.mjs')), code);
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function environment(more: Record<string, string> = {}): Record<string, string> {
  const path = `${join(directory, 'node_modules', '.bin')}:${dirname(process.execPath)}:${process.env.PATH}`;
  return cleanEnvironment({ PATH: path, HOME: directory, ...more });
}

test('the examples are type-checked', () => {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', directory], { encoding: 'utf8' });
  expect(stdout).toBe('');
});

/** Runs the agent on a scripted model. */
const AGENT = `
import { MockLanguageModelV3 } from 'ai/test';
import { TodoStore } from 'todowrite';
import { runAgent } from './agent.mjs';

const list = (...todos) => 'TodoWrite ' + JSON.stringify(JSON.stringify({ todos })).replace(/^"|"$/g, "'").replace(/\\\\"/g, '"');
const item = (content, status) => ({ content, activeForm: content, status });
const bash = (command) => ({ toolName: 'bash', input: { command } });
const script = {
  'Do the job': [
    bash(list(item('Look', 'in_progress'), item('Tell', 'pending'))),
    bash('true'),
    bash('true'),
    { toolName: 'helper', input: { job: 'Help' } },
    bash('touch forbidden'),
    bash('echo seen'),
    'All is well.',
  ],
  Help: [bash(list(item('Of the helper', 'completed'))), 'Helped.'],
};
const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
const seen = [];
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const job = prompt.find(({ role }) => role === 'user').content[0].text;
    seen.push({ job, prompt: JSON.stringify(prompt), length: prompt.length });
    const step = script[job].shift();
    const isText = typeof step === 'string';
    const content = isText
      ? { type: 'text', text: step }
      : { type: 'tool-call', toolCallId: String(seen.length), toolName: step.toolName, input: JSON.stringify(step.input) };
    return { content: [content], finishReason: { unified: isText ? 'stop' : 'tool-calls', raw: undefined }, usage, warnings: [] };
  },
});
const store = new TodoStore();
let printed = '';
const host = {
  model,
  memory: 6,
  approve: async (line) => !line.startsWith('touch'),
  print: (text) => { printed += text; },
};
const text = await runAgent('Do the job', host, store);
console.log(JSON.stringify({ text, printed, seen, items: store.get().items }));
`;

test('agent.ts plans, is reminded, asks, has a helper with a list of its own, and keeps its list when its memory is cut', () => {
  writeFileSync(join(directory, 'run.mjs'), AGENT);
  const output = execFileSync(process.execPath, ['run.mjs'], {
    cwd: directory,
    env: environment({ TODO_REMINDER_TURNS: '2' }),
    encoding: 'utf8',
  });
  const { text, printed, seen, items } = JSON.parse(output);
  expect(text).toBe('All is well.');
  expect(printed).toContain('$ echo seen\nseen\n');
  expect(items.map(({ content }: { content: string }) => content)).toEqual(['Look', 'Tell']);
  const own = seen.filter(({ job }: { job: string }) => job === 'Do the job');
  expect(own[3].prompt).toContain('no TodoWrite in the last 2 commands');
  expect(own[4].prompt).toContain('Helped.');
  expect(own[5].prompt).toContain('Exit code 126: the user says no');
  expect(existsSync(join(directory, 'forbidden'))).toBe(false);
  const last = own.at(-1);
  expect(last.prompt).toContain(
    'Your current task list (TodoRead):\\\\n[>] Look\\\\n[ ] Tell'.replaceAll('\\\\', '\\'),
  );
  expect(last.length).toBeLessThanOrEqual(9);
});

test('client.py runs lines in one bash', ({ skip }) => {
  if (spawnSync('python3', ['--version']).error) skip('no python3 here');
  const plan = `TodoWrite '{"todos":[{"content":"Go","activeForm":"Going","status":"pending"}]}'`;
  const output = execFileSync(
    'python3',
    ['client.py', plan, 'cd /', 'pwd; TodoRead | head -n 1; exit 3'],
    {
      cwd: directory,
      env: environment(),
      encoding: 'utf8',
    },
  );
  expect(output).toBe(`Todo list updated: 0 completed, 0 in_progress, 1 pending
exit code
0
exit code
0
/
[ ] Go
exit code
3
`);
});
