import { describe, expect, test } from 'vitest';
import { answerPrompt } from '../../../src/prompt/prompt-panel.ts';
import { tasksForPeople, todosForPeople } from '../../../src/screen/panel/for-people.ts';
import { createTheme } from '../../../src/screen/panel/theme.ts';
import { isDriven } from '../../../src/screen/terminal/driven.ts';
import { createTasks } from '../../../src/tasks/task-create.ts';
import { openTaskStore } from '../../../src/tasks/task-store.ts';
import { TodoHome } from '../../../src/todo/todo-home.ts';
import { openTodoStore } from '../../../src/todo/todo-store.ts';
import { callCommand } from '../../helpers/commands.ts';
import { cleanEnvironment, executable, run } from '../../helpers/executables.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { taskListFolder } from '../../helpers/list-folders.ts';
import { hasTmux, TmuxTerminal } from '../../helpers/tmux.ts';
import { listOf, NOON, tasksOf } from '../../viewer/viewer-state.ts';
import { todos } from './todos.ts';

const look = { theme: createTheme(), columns: 50, now: NOON };

test('a list has marks, times and a line that sums it up', () => {
  const { versions } = listOf(
    'main',
    [725, '> Analyze', '- Build'],
    [65, 'x Analyze', '> Build', '- Ship it to the people who wait for it'],
  );
  expect(todosForPeople(versions, look).split('\n')).toEqual([
    '✓ Analyze                                   11:58',
    '● Build <- Doing Build...                  1m 05s',
    '○ Ship it to the people who wait for it',
    '',
    '1 completed, 1 in progress, 1 pending, changed 1m',
    'ago',
    '',
  ]);
});

test('a row holds all that a model sees of an item', () => {
  const item = { content: 'Tag it', activeForm: 'Tagging it', status: 'in_progress' } as const;
  const more = { id: '7', priority: 'high', check: 'npm test' } as const;
  const { versions } = listOf('main', [5, '- a']);
  const both = [
    { ...item, ...more },
    { ...item, id: '8' },
  ];
  const list = { ...versions[0], items: both };
  const [row, next] = todosForPeople([list], { ...look, columns: 100 }).split('\n');
  expect(next).toMatch(/^● Tag it \(id: 8\) /);
  expect(row).toMatch(/^● Tag it \(id: 7, check: npm test\) <- Tagging it\.\.\. .* high$/);
});

describe('tasks', () => {
  const [list] = tasksOf(
    { subject: 'Parse', status: 'completed', owner: 'ann' },
    { subject: 'Print', status: 'in_progress', activeForm: 'Printing', owner: 'bob' },
    { subject: 'Ship it to the people who have waited for it since the spring', priority: 'high' },
  );
  const rows = [...(list?.graph.tasks.values() ?? [])].map((task) => ({
    ...task,
    updatedAt: new Date(NOON - 60_000).toISOString(),
    openBlockers: task.id === 3 ? [2] : [],
    isReady: false,
    isLeaseOver: task.id === 2,
  }));
  const rowsAt = (columns: number) => tasksForPeople(rows, { ...look, columns }).split('\n');

  test('begin with number and subject, then come the facts for which half of the row has room', () => {
    const row = (left: string, right: string) => left + right.padStart(79 - left.length);
    expect(rowsAt(80)).toEqual([
      row('✓ #1 Parse', 'ann · 1m ago'),
      row('● #2 Print <- Printing...', 'bob · lease expired · 1m ago'),
      row('○ #3 Ship it to the people who have waited for it', 'high · blocked by #2 · 1m ago'),
      '  since the spring',
      '',
      '1 completed, 1 in progress, 1 pending, 0 ready to claim',
      '',
    ]);
  });

  test('on a narrow terminal have their facts below, whole', () => {
    expect(rowsAt(200)[0]).toHaveLength(100);
    expect(rowsAt(40)).toEqual([
      '✓ #1 Parse',
      '    ann · 1m ago',
      '● #2 Print <- Printing...',
      '    bob · lease expired · 1m ago',
      '○ #3 Ship it to the people who have',
      '  waited for it since the spring',
      '    high · blocked by #2 · 1m ago',
      '',
      '1 completed, 1 in progress, 1 pending,',
      '0 ready to claim',
      '',
    ]);
  });
});

test('an empty list is one line', () => {
  expect(todosForPeople([], look)).toBe('No todos.\n');
  expect(tasksForPeople([], look)).toBe('No tasks.\n');
});

test('text that is wider than the terminal is wrapped, and is text', () => {
  const { versions } = listOf('main', [4, `- ${'word '.repeat(30)}`, '- \x1b[31mred\u202e']);
  const text = todosForPeople(versions, { ...look, columns: 40 });
  expect(text).not.toMatch(/[\x1b\u202e]/);
  for (const line of text.split('\n').slice(0, -3)) expect(line.length).toBeLessThan(40);
  for (const columns of [30, 80, 101]) {
    const { versions: long } = listOf('main', [4, `- ${'x'.repeat(400)}`]);
    expect(todosForPeople(long, { ...look, columns }).split('\n')[0]).toHaveLength(columns - 1);
  }
});

test('without a terminal --format gives Markdown or JSON', async () => {
  const state = temporaryDirectory();
  const env = { TODO_STATE_DIR: state, TODO_SESSION: 's' };
  const read = (...argv: string[]) => callCommand(env, 'TodoRead', argv);
  openTodoStore({ folder: `${state}/s/main` }).update([
    ...todos('x a, b', '> *c*'),
    { content: 'd', activeForm: 'D', status: 'pending', priority: 'high' },
  ]);
  expect((await read('--format', 'md')).stdout).toBe(
    '- [x] a, b\n- [ ] \\*c\\* *(in progress)*\n- [ ] d *(high)*\n',
  );
  expect((await read('--format=csv')).stderr).toContain("takes md or json, received 'csv'");
  expect(await read('--format', 'json')).toEqual(await read('--json'));
  expect(await read('--format', 'xml')).toMatchObject({ stdout: '', exitCode: 2 });
  expect(await read('--json', '--format', 'md')).toMatchObject({ stdout: '', exitCode: 2 });
  expect((await read()).stdout).toBe(
    '[x] a, b\n[>] *c* <- Doing *c*\n[ ] d (priority: high)\n\n(1/3 completed)\n',
  );
});

test('variables that say that a program reads the terminal', () => {
  for (const name of ['AI_AGENT', 'CLAUDECODE', 'GEMINI_CLI', 'QWEN_CODE'])
    expect([name, isDriven({ [name]: '1' }, 0)]).toEqual([name, true]);
});

test.each([
  ['auto', true],
  ['above', true],
  ['plain', false],
])(
  'a prompt at which a program types, with mode %s: nothing is shown is %s',
  async (mode, isOff) => {
    const environment = { AI_AGENT: '1', TODO_STATE_DIR: temporaryDirectory(), TODO_SESSION: 's' };
    const place = { environment, directory: '/', terminal: -1 };
    const answer = await answerPrompt({ ...place, mode, hasRun: true, journal: [] });
    expect(answer === '__todo_mode=off\n').toBe(isOff);
  },
);

/** A folder with the lists of session s, all of sessions of Claude Code. */
function listsOfClaude(): string {
  const state = temporaryDirectory();
  const home = new TodoHome({ TODO_STATE_DIR: state, TODO_SESSION: 's' }, '/');
  for (const digit of ['2', '1']) {
    const agent = `main@${digit.repeat(8)}-aaaa-4bbb-8ccc-123456789abc`;
    home.open({ agent }).update(todos(`> Ship ${digit}`));
  }
  return state;
}

test('a status line without a list of its own shows that of the agent who wrote last; a model sees its own', () => {
  const env = cleanEnvironment({ TODO_STATE_DIR: listsOfClaude(), TODO_SESSION: 's' });
  const read = (argv: string[], more = {}) => {
    const { stdout, stderr } = run('todo-read', argv, { cwd: '/', env: { ...env, ...more } });
    return stdout + stderr;
  };
  expect(read(['--line'])).toBe('0/1 Doing Ship 1\n');
  expect(read(['--line'], { CLAUDECODE: '1' })).toBe('');
  expect(read(['--line', '--agent', 'ann'])).toBe('');
  expect(read([])).toBe('No todos.\n');
  run('todo-write', [JSON.stringify({ todos: todos('> Mine') })], { cwd: '/', env });
  expect(read(['--line'])).toBe('0/1 Doing Mine\n');
});

describe.skipIf(!hasTmux)('on a terminal', () => {
  /** What TodoRead prints on a terminal, once with each of these settings. */
  async function screenOf(state: string, ...settings: string[]): Promise<string> {
    const program = `${process.execPath} ${executable('todo-read')}`;
    // Without variables of a harness or a CI.
    const env = `env -i PATH="$PATH" TERM="$TERM" TODO_SESSION=s TODO_STATE_DIR=${state}`;
    const lines = settings.map((setting) => `${env} ${setting} ${program}; `);
    const terminal = new TmuxTerminal(`${lines.join('')}echo end; sleep 60`, {
      columns: 60,
      rows: 30,
    });
    return terminal.until('the end', (screen) => screen.endsWith('end'));
  }

  test('TodoRead of a person without a list shows that of the agent who wrote last, and says whose it is and how to change it', async () => {
    expect(await screenOf(listsOfClaude(), '', 'CLAUDECODE=1')).toMatch(
      /^The list of Claude 1111; you have none here\.\nTo change it: agent-shell watch\n● .*Ship 1 .*\n\n1 in progress.*\nNo todos\.\nend$/,
    );
  });

  test('task commands name agents short, also in notes and errors; their JSON has the whole names', async () => {
    const state = temporaryDirectory();
    const agent = 'main@11111111-aaaa-4bbb-8ccc-123456789abc';
    const env = { TODO_STATE_DIR: state, TODO_SESSION: 's', TODO_AGENT: agent };
    await callCommand(env, 'TaskCreate', ['--subject', 'Ship', '--owner', 'bob']);
    await callCommand(env, 'TaskCreate', ['--subject', 'Print', '--owner', agent]);
    const person = `env -i PATH="$PATH" TERM="$TERM" TODO_STATE_DIR=${state} TODO_SESSION=s TODO_AGENT=bob`;
    const run = `${person} '${executable('task-claim')}' 2; ${person} '${executable('task-get')}' 2`;
    const terminal = new TmuxTerminal(`${run}; ${run} --json; echo end; sleep 60`, { rows: 40 });
    const screen = await terminal.until('the end', (text) => text.endsWith('end'));
    expect(screen).toContain(
      '#2 is claimed by Claude 1111\nNote: #1 "Ship": assigned to you by Claude 1111\n',
    );
    expect(screen).toContain('Owner: Claude 1111\n');
    expect(screen.replaceAll('\n', '')).toContain(`"owner":"${agent}"`);
  });

  test('a task whose lease has expired counts as ready to claim', async () => {
    const env = { TODO_STATE_DIR: temporaryDirectory(), TODO_SESSION: 's' };
    await callCommand(env, 'TaskCreate', ['--subject', 'Ship']);
    await callCommand({ ...env, TODO_AGENT: 'bob' }, 'TaskClaim', ['1', '--lease', '1s']);
    const person = `env -i PATH="$PATH" TERM="$TERM" TODO_STATE_DIR=${env.TODO_STATE_DIR} TODO_SESSION=s`;
    const list = `${person} '${executable('task-list')}'`;
    const terminal = new TmuxTerminal(
      `until ${list} --ready | grep -q Ship; do :; done; ${list}; echo end; sleep 60`,
    );
    const screen = await terminal.until('the end', (text) => text.endsWith('end'));
    expect(screen).toMatch(/ bob · lease expired .*\n\n1 in progress, 1 ready to claim\n/);
  });

  test('TodoRead prints for people, unless a setting says that a program reads the terminal', async () => {
    const state = temporaryDirectory();
    const long = 'x'.repeat(100);
    openTodoStore({ folder: `${state}/s/main` }).update(todos('- Ship', `- ${long}`));
    expect(await screenOf(state, '')).toMatch(
      /^○ Ship\n○ x{57}\n {2}x{43}\n\n2 pending, changed \d+s ago\nend$/,
    );
    const settings = ['TODO_PANEL=off', 'GEMINI_CLI=1', 'CI=true', 'TERM=dumb', 'TERM='];
    expect(await screenOf(state, ...settings)).toMatch(
      /^(?:\[ \] Ship\n\[ \] x{56}\nx{44}\n\n\(0\/2 completed\)\n){5}end$/,
    );
  });

  test('times of histories and tasks are local there', async () => {
    const state = temporaryDirectory();
    openTodoStore({ folder: `${state}/s/main` }).update(todos('- Ship'));
    const team = openTaskStore({ folder: taskListFolder(state, 's') });
    const at = '2026-01-31T12:00:00.000Z';
    await team.change((graph) => createTasks(graph, [{ subject: 'Print' }], at));
    const env = `env -i PATH="$PATH" TERM="$TERM" TZ=Asia/Tokyo TODO_SESSION=s TODO_STATE_DIR=${state}`;
    const call = (name: Parameters<typeof executable>[0], words: string) =>
      `${env} ${process.execPath} ${executable(name)} ${words}; `;
    const calls = `${call('todo-read', '--history')}${call('task-get', '1')}${call('task-list', '--history')}`;
    const terminal = new TmuxTerminal(`${calls}echo end; sleep 60`);
    const screen = await terminal.until('the end', (text) => text.endsWith('end'));
    expect(screen).toMatch(/^1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}main {2}1 added\n/);
    expect(screen).toContain('\nCreated: 2026-01-31 21:00:00\n');
    expect(screen).not.toMatch(/\d\dZ/);
  });

  test('a person who looks at a list there does not use up the notes for the agent', async () => {
    const state = temporaryDirectory();
    openTodoStore({ folder: `${state}/s/main` }).update(todos('- a'));
    const user = openTodoStore({ folder: `${state}/s/main`, author: 'user' });
    user.update(todos('- a', '- b'));
    expect(await screenOf(state, '')).toContain('Note: the user added "b"');
    expect(user.get().version).toBe(2);
  });

  test('TodoWrite reads a pipe there, and not what is typed', async () => {
    const env = `TODO_SESSION=s TODO_STATE_DIR=${temporaryDirectory()} TODO_PANEL=off`;
    const write = `${env} ${process.execPath} ${executable('todo-write')}`;
    const lines = `${write}; echo '[{"content":"a","activeForm":"b","status":"pending"}]' | ${write}`;
    const terminal = new TmuxTerminal(`${lines}; echo end; sleep 60`, { columns: 200 });
    const screen = await terminal.until('the end', (text) => text.endsWith('end'));
    expect(screen).toMatch(
      /^Error: Missing JSON parameter\nUsage: .*\nNote: .*\nTodo list updated: .*1 pending/,
    );
  });
});
