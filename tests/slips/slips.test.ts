import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateTokenCount as tokens } from 'tokenx';
import { expect, test } from 'vitest';
import { quote } from '../../src/base/line/quotes.ts';
import { DEFAULT_SETTINGS } from '../../src/base/settings/settings.ts';
import { agentHandlers } from '../../src/shell/router/agent-handlers.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { forAllTests } from '../helpers/for-all-tests.ts';
import { startRouter } from '../helpers/session.ts';
import { Team } from '../tasks/team.ts';

/** A line as models write it by mistake, and what must come of it. */
interface Slip {
  name: string;
  line: string;
  /** The list that it is taken as; without, the list stays, and the error leads to the right call. */
  items?: object[];
  /** A pattern that the error must hold. */
  say?: string;
  /** The call that the error leads to, where it names one or shows how it is written. */
  retry?: string;
}

const BUILD = { content: 'Build', activeForm: 'Building', status: 'pending' as const };

/** `<Build>` stands for an item, in a text or as a value. */
const withItem = (_: string, value: unknown) => {
  if (value === '<Build>') return BUILD;
  return typeof value === 'string' ? value.replaceAll('<Build>', JSON.stringify(BUILD)) : value;
};

const ROWS = readFileSync(join(import.meta.dirname, 'slips.jsonl'), 'utf8')
  .trim()
  .split('\n');

const RIGHT = call([BUILD]);
const steps = (count: number, more: object) =>
  Array.from({ length: count }, (_, index) => ({ ...more, content: `Step ${index}` }));
const SLIPS: Slip[] = [
  ...ROWS.map((row): Slip => JSON.parse(row, withItem)),
  {
    name: '40 items without activeForm',
    line: call(steps(40, { status: 'pending' })),
    say: String.raw`todos\[0..39\].activeForm: Required`,
    retry: call(steps(40, { activeForm: 'Doing it', status: 'pending' })),
  },
  { name: '51 items', line: call(steps(51, BUILD)), say: 'at most 50', retry: RIGHT },
];

function call(todos: object[]): string {
  return `TodoWrite '${JSON.stringify({ todos })}'`;
}

const store = new TodoStore();
const handlers = [
  ...agentHandlers(store, () => ({ settings: DEFAULT_SETTINGS, warnings: [] })),
  ...new Team().handlers.values(),
];
const shared = forAllTests((finished) => {
  const started = startRouter({ handlers, guide: false }, finished);
  writeFileSync(join(started.cwd, 'plan.json'), '{"todos":[]}');
  return started;
});

const BEFORE = [{ content: 'Stay', activeForm: 'Staying', status: 'pending' as const }];
const answers: { slip: Slip; stderr: string; cost: number }[] = [];

test.each(SLIPS)('$name', async (slip) => {
  const { router, cwd } = shared();
  store.update(BEFORE);
  await router.route(`cd ${cwd}`);
  const { stdout, stderr, exitCode } = await router.route(slip.line);
  answers.push({ slip, stderr, cost: tokens(stderr) });
  if (slip.items) {
    expect({ exitCode, items: store.get().items }).toEqual({ exitCode: 0, items: slip.items });
    expect(stdout).toMatch(/^Todo list updated: /);
    return;
  }
  // One that is forgiven is told how it is written.
  if (exitCode === 0) expect(stderr).toMatch(/^Note: /);
  expect(store.get().items).toEqual(BEFORE);
  expect(stderr).toMatch(new RegExp(slip.say ?? '', 'm'));
  if (slip.retry !== undefined) {
    expect(await router.route(slip.retry)).toMatchObject({ exitCode: 0 });
  }
  // A call that is told in full runs as it is told.
  const [, told] = /Try: ((?:TodoWrite|TodoRead)(?: --\w+| \d+| < [\w./]+)*)$/m.exec(stderr) ?? [];
  if (told !== undefined) {
    store.update(BEFORE);
    expect(await router.route(told)).toMatchObject({ exitCode: 0 });
  }
});

test.each([
  ["Don't stop", String.raw`'Don'\''t stop'`],
  ['it is `x` for $5', "'it is `x` for $5'"],
  ...['', ' ', '\u200b', 'a\u001b[1mb', 'x'.repeat(250)].map((subject) => [subject, '"..."']),
])('TaskCreate %j leads to a call that is accepted', async (subject = '', word) => {
  const { router } = shared();
  const { stderr } = await router.route(`TaskCreate ${quote(subject)}`);
  const [, told] = /Try: (.*)$/m.exec(stderr) ?? [];
  expect(told).toBe(`--subject ${word}`);
  const stdout = expect.stringMatching(/^Task #\d+ created: /);
  expect(await router.route(`TaskCreate ${told}`)).toMatchObject({ stdout, exitCode: 0 });
});

test('each error leads to a call that is right at once', () => {
  const errors = answers.filter(({ slip, stderr }) => !slip.items && !stderr.startsWith('Note: '));
  expect(errors.filter(({ slip }) => !slip.retry).map(({ slip }) => slip.name)).toEqual([]);
});

test('there are more than 150 slips, and a refusal costs 30 tokens or fewer on average', () => {
  expect(SLIPS.length).toBeGreaterThan(150);
  const costs = answers.filter(({ slip }) => !slip.items).map(({ cost }) => cost);
  expect(costs.reduce((sum, cost) => sum + cost) / costs.length).toBeLessThanOrEqual(30);
});
