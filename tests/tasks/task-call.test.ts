import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { BashRouter } from '../../src/shell/router/bash-router.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, executable, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { isAlive } from '../helpers/processes.ts';
import { failed } from '../helpers/replies.ts';
import { Team } from './team.ts';

let hooksDir: string;
beforeEach(() => {
  hooksDir = temporaryDirectory();
});

function hook(name: string, script: string, mode = 0o755): void {
  writeFileSync(join(hooksDir, name), `#!/bin/bash\n${script}\n`);
  chmodSync(join(hooksDir, name), mode);
}

const CHANGES = ['TaskCreate --subject A', 'TaskUpdate 1 --status completed'];
const REFUSED = 'Error: Cannot create the task\n- refused_by_hook: task-created: ';

/** What a hook has written to this file. */
const said = (name: string) => readFileSync(join(hooksDir, name), 'utf8');

/** A hook that never answers. */
const hang = () => hook('task-created', `sleep 86400 & echo $! > ${hooksDir}/pid; wait`);
const isHanging = () => existsSync(join(hooksDir, 'pid')) && said('pid') !== '';
const allEnded = () =>
  expect.poll(() => isAlive(Number(said('pid'))), { timeout: 60_000 }).toBe(false);

const team = (hookLimitMs?: number) =>
  new Team({ settings: { hooksDir, agent: 'ann' }, hookLimitMs });

test('a hook gets the change as one line of JSON, and lets it pass with exit code 0', async () => {
  hook('task-created', `cat >> ${hooksDir}/said`);
  hook('task-completed', `cat >> ${hooksDir}/said`);
  const { exitCode } = await team().run(...CHANGES);
  expect(exitCode).toBe(0);
  const lines = said('said').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'task-created', agent: 'ann', tasks: [{ id: 1, subject: 'A', status: 'pending' }] },
    { event: 'task-completed', agent: 'ann', tasks: [{ id: 1, status: 'completed' }] },
  ]);
});

test('anything but exit code 0 refuses the change, with its stderr as the reason', async () => {
  hook('task-created', 'echo "no tests named\x1b[2J" >&2; echo second >&2; exit 3');
  const all = team();
  expect(await all.run('TaskCreate --subject A')).toEqual(
    failed(`${REFUSED}no tests named␛[2J second\n`),
  );
  expect(await all.run('TaskList')).toMatchObject({ stdout: 'No tasks.\n' });
});

test('a refused completion commits nothing, of its other fields neither', async () => {
  hook('task-completed', 'exit 1');
  const all = team();
  await all.run('TaskCreate --subject A');
  const { stderr } = await all.run('TaskUpdate 1 --status completed --subject B');
  expect(stderr).toContain('- refused_by_hook: task-completed: exit code 1\n');
  expect(await all.run('TaskList')).toMatchObject({ stdout: '#1 [pending] A\n' });
  // Nor is it asked about anything else.
  for (const line of ['TaskClaim 1', 'TaskUpdate 1 --subject B', 'TaskRelease 1'])
    expect(await all.run(line)).toMatchObject({ exitCode: 0 });
});

test('a hook that takes too long is ended, with all that it has started, and refuses', async () => {
  hang();
  expect(await team(1000).run('TaskCreate --subject A')).toEqual(
    failed(`${REFUSED}it took longer than 1 s\n`),
  );
  await allEnded();
});

test.each(['', 'true && '])('the time limit of %jTaskCreate ends its hook, too', async (before) => {
  hang();
  const { handlers, stores } = team(86_400_000);
  const router = new BashRouter({ handlers: [...handlers.values()], guide: false });
  onTestFinished(() => router.dispose());
  const stop = new AbortController();
  const line = router.route(`${before}TaskCreate --subject A`, { signal: stop.signal });
  await eventually('the hook to run', isHanging);
  stop.abort();
  expect(await line).toMatchObject({ exitCode: 130 });
  await allEnded();
  expect(stores.get('')?.get().version).toBe(0);
});

test('a hook ends with its caller, with all that it has started', async () => {
  hang();
  const env = cleanEnvironment({
    TODO_STATE_DIR: join(hooksDir, 'state'),
    TODO_HOOKS_DIR: hooksDir,
  });
  const path = join(dirname(executable('todo-write')), 'TaskCreate');
  const { child, ended } = startProgram(path, ['--subject', 'A'], { cwd: hooksDir, env });
  await eventually('the hook to run', isHanging);
  child.kill('SIGKILL');
  await ended;
  await allEnded();
});

test('a hook that leaves something running in the background has still answered', async () => {
  hook('task-created', `sleep 86400 & echo $! > ${hooksDir}/pid`);
  expect(await team().run('TaskCreate --subject A')).toMatchObject({ exitCode: 0 });
  process.kill(Number(said('pid')));
});

test('a missing or non-executable file, or a folder, is not a hook', async () => {
  hook('task-created', 'exit 1', 0o644);
  mkdirSync(join(hooksDir, 'task-completed'));
  const { exitCode } = await team().run(...CHANGES);
  expect(exitCode).toBe(0);
});

test('a folder of hooks that does not exist is a warning', async () => {
  for (const none of [join(hooksDir, 'none'), 'none']) {
    const folder = none === 'none' ? '/none' : none;
    const stderr = `Warning: TODO_HOOKS_DIR must be a folder, received '${folder}'; using no hooks\n`;
    const nowhere = new Team({ settings: { hooksDir: none } });
    expect(await nowhere.run('TaskCreate --subject A')).toMatchObject({ stderr, exitCode: 0 });
  }
  expect((await team().run('TaskCreate --subject A')).stderr).toBe('');
});

test('one that dies, and one that cannot be run, refuses', async () => {
  hook('task-created', 'kill -9 $$');
  expect(await team().err('TaskCreate --subject A')).toContain('it was killed by SIGKILL');
  writeFileSync(join(hooksDir, 'task-created'), '#!/no/such/program\n');
  expect(await team().err('TaskCreate --subject A')).toMatch(/refused_by_hook: .*\/task-created: /);
});

test('a hook may read nothing, or print very much', async () => {
  hook('task-created', 'head -c 3000000 /dev/zero | tr "\\\\0" x >&2; exit 1');
  const large = 'x'.repeat(9000);
  const { stderr } = await team().call('TaskCreate', [
    JSON.stringify(Array.from({ length: 100 }, () => ({ subject: 'S', description: large }))),
  ]);
  expect(Buffer.byteLength(stderr)).toBeLessThan(4096);
  expect(stderr).toContain('task-created: xxx');
});

test('others continue while a hook thinks; it is asked again only if the change has become different', async () => {
  const asked = () => said('asked').trimEnd().split('\n').length;
  hook('task-completed', `echo asked >> ${hooksDir}/asked; sleep 0.3`);
  const all = team();
  await all.run('TaskCreate --subject A', 'TaskCreate --subject B');
  const [completed] = await Promise.all([
    all.run('TaskUpdate 1 --status completed'),
    all.run('TaskUpdate 2 --subject C'),
  ]);
  expect(completed.exitCode).toBe(0);
  expect(asked()).toBe(1);
  await all.run('TaskUpdate 1 --status pending');
  await Promise.all([
    all.run('TaskUpdate 1 --status completed'),
    all.run('TaskUpdate 1 --subject D'),
  ]);
  expect(asked()).toBe(3);
  expect(await all.run('TaskList')).toMatchObject({ stdout: '#1 [completed] D\n#2 [pending] C\n' });
});

test('a hook whose task changes each time that it is asked refuses at last, and is not asked for ever', async () => {
  hook(
    'task-completed',
    `echo >> ${hooksDir}/asked; until [ -e ${hooksDir}/$(wc -l < ${hooksDir}/asked) ]; do sleep 0.02; done`,
  );
  const all = team();
  await all.run('TaskCreate --subject A');
  const completed = all.run('TaskUpdate 1 --status completed');
  const asked = () =>
    existsSync(join(hooksDir, 'asked')) && readFileSync(join(hooksDir, 'asked')).length;
  for (let times = 1; times <= 5; times++) {
    await expect.poll(asked, { timeout: 10_000 }).toBe(times);
    await all.run('TaskUpdate 1 --comment checked');
    writeFileSync(join(hooksDir, String(times)), '');
  }
  expect(await completed).toEqual(
    failed(
      'Error: Cannot update task #1\n- refused_by_hook: task-completed: asked 5 times, each time about other tasks; a hook must not change them\n',
    ),
  );
});
