import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './helpers/files.ts';
import { hasTmux, TmuxTerminal } from './helpers/tmux.ts';

const ROOT = join(import.meta.dirname, '..');
const DEMO = join(ROOT, 'scripts', 'demo.js');

test('off a terminal the demo prints the same plainly, and leaves nothing behind', async () => {
  const tmp = temporaryDirectory();
  const env = { ...process.env, TMPDIR: tmp };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [DEMO], { env });
  expect(stderr).toBe('');
  expect(stdout).not.toContain('\x1b');
  const reports = stdout.split('\n').filter((line) => line.startsWith('Tasks '));
  expect(reports.map((line) => line.slice(0, 'Tasks 0/5: '.length))).toEqual(
    [0, 1, 2, 3, 4, 5].map((completed) => `Tasks ${completed}/5: `),
  );
  expect(stdout).toContain('slug $ TodoWrite --done 1 --start 2\n');
  expect(stdout).toContain('FAILED  minutes-of the may meeting.md\n');
  expect(stdout).toContain('passed  minutes-of-the-may-meeting.md\n');
  expect(readdirSync(tmp)).toEqual([]);
});

test.skipIf(!hasTmux)('keys typed while the demo plays are not shown', async () => {
  const terminal = new TmuxTerminal(`node ${DEMO}`);
  await terminal.until('the panel', (screen) => screen.includes('● Reading the code'));
  for (const key of ['x', 'Enter', 'y', 'Up', 'Enter']) terminal.press(key);
  const screen = await terminal.until('the next step', (text) => text.includes('● Reproducing'));
  expect(screen).not.toMatch(/x\n|y\^|\^\[/);
  expect(screen.split('─ Tasks ─')).toHaveLength(2);
});

test.skipIf(!hasTmux)(
  'npm start says what it is and how to leave, `demo` or Tab types the line that comes next, and the last one is followed by what to do then, which works',
  async () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const home = temporaryDirectory();
    const env = `env -i HOME=${home} TODO_STATE_DIR=${home}/state TERM=xterm LANG=C.UTF-8 PATH="$PATH"`;
    const start = `cd ${ROOT} && ${env} sh -c '${scripts.start}'`;
    // What comes next is a long line, in a checkout with a long path.
    const terminal = new TmuxTerminal(start, { columns: 300 });
    const first = await terminal.until('the first words', (text) => text.includes('Press Tab'));
    expect(first).toMatch(/^This is your bash, .* Ctrl-D leaves\.\n.*panel.*\n/);
    // Not a picture of it, which would stay.
    expect(first).not.toContain('─ Tasks ─');
    for (const [line, row] of [
      ['demo', '● Fixing login...'],
      ['--done 1 --start 2', '● Running tests...'],
      ['TodoWrite --done 2', '✓ Run tests'],
    ] as const) {
      if (line === 'demo') terminal.type(line);
      else terminal.press('Tab');
      await terminal.until('the line', (text) => text.replaceAll('\n', '').includes(line));
      terminal.press('Enter');
      await terminal.until(row, (text) => text.includes(row));
    }
    const said = (text: string) => /second terminal:\n\s+(cd .* watch)\n/.exec(text)?.[1];
    const next = said(await terminal.until('what comes next', (text) => said(text) !== undefined));
    terminal.type('agent-shell watch --help | head -n 1; TodoRead --line');
    terminal.press('Enter');
    await terminal.until('the usage', (text) => text.includes('Usage: agent-shell watch'));
    const second = new TmuxTerminal(`${env} sh -c '${next}'`);
    await second.until('the viewer', (text) => text.includes('Run tests'));
  },
);

test('npm start in a checkout before npm ci says what to run first', async () => {
  const folder = temporaryDirectory();
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  cpSync(join(ROOT, 'scripts/start.sh'), join(folder, 'scripts/start.sh'));
  const started = promisify(execFile)('sh', ['-c', scripts.start], { cwd: folder });
  await expect(started).rejects.toMatchObject({ code: 1, stderr: 'Run npm ci first\n' });
});
