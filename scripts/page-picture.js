// Draws the README's pictures of the page for browsers, docs/page-dark.webp and docs/page-light.webp, with a Chromium of the
// machine. Part of `npm run picture`; with a folder as argument the files go there.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';

const ROOT = dirname(import.meta.dirname);
const BIN = join(ROOT, 'dist', 'bin');
const SIZE = { width: 1140, height: 610 };
const MINUTE = 60_000;
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const home = mkdtempSync(join(tmpdir(), 'page-'));
const project = join(home, 'work', 'shop');
mkdirSync(join(project, '.git'), { recursive: true });
const env = { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8' };

/** Runs an agent command as if it were so many minutes ago. */
function call(minutes, agent, name, ...argv) {
  const shifted = `const Now = Date; const ago = ${minutes * MINUTE}; globalThis.Date = class extends Now {
    constructor(...given) { given.length > 0 ? super(...given) : super(Now.now() - ago); }
    static now() { return Now.now() - ago; } };`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(shifted)}`;
  const options = { cwd: project, env: { ...env, TODO_AGENT: agent, NODE_OPTIONS } };
  execFileSync(join(BIN, 'commands', name), argv, { ...options, stdio: 'ignore' });
}

/** A list at its first pending item. */
const list = (done, ...steps) =>
  JSON.stringify({
    todos: steps.map(([content, activeForm], at) => ({
      content,
      activeForm,
      status: at < done ? 'completed' : at === done ? 'in_progress' : 'pending',
      ...(content.startsWith('Rotate') && { priority: 'high' }),
    })),
  });
const SESSIONS = [
  ['Read how sessions are stored', 'Reading how sessions are stored'],
  ['Reproduce the lost login', 'Reproducing the lost login'],
  ['Write sessions to the new store', 'Writing sessions to the new store'],
  ['Rotate the signing key', 'Rotating the signing key'],
  ['Run the tests of the shop', 'Running the tests of the shop'],
];
const PARSER = [
  ['Read the grammar', 'Reading the grammar'],
  ['Write the tokenizer', 'Writing the tokenizer'],
  ['Property tests', 'Writing property tests'],
];
const DOCS = [
  ['Collect examples', 'Collecting examples'],
  ['Write the guide', 'Writing the guide'],
  ['Proofread', 'Proofreading'],
];
const MAIN = 'main@7c1e2f30-5a4b-4c8d-9e0f-123456789abc';

try {
  call(41, 'ann', 'TaskCreate', '{"subject":"Write the parser","activeForm":"Writing the parser"}');
  call(41, 'ann', 'TaskCreate', '{"subject":"Test the parser","blockedBy":[1]}');
  call(40, 'ann', 'TaskCreate', '{"subject":"Write the guide","activeForm":"Writing the guide"}');
  call(40, 'ann', 'TaskCreate', '{"subject":"Choose the grammar"}');
  call(38, 'ann', 'TaskUpdate', '{"taskId":4,"status":"completed","owner":"ann"}');
  call(14, 'ann', 'TaskClaim', '1');
  call(3, 'bob', 'TaskClaim', '3');
  for (const [done, minutes] of [31, 22, 4.5].entries())
    call(minutes, MAIN, 'TodoWrite', list(done, ...SESSIONS));
  for (const [done, minutes] of [17, 14].entries())
    call(minutes, 'ann', 'TodoWrite', list(done, ...PARSER));
  for (const [done, minutes] of [8, 3.6].entries())
    call(minutes, 'bob', 'TodoWrite', list(done, ...DOCS));
  const server = spawn(process.execPath, [join(BIN, 'agent-shell.cjs'), 'watch', '--web'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(server.stdout, 'data');
  const [url] = String(said).split('\n');
  const browser = await chromium.launch({
    executablePath: CHROMIUM.find(existsSync),
    args: ['--no-sandbox'],
  });
  for (const theme of ['dark', 'light']) {
    const options = { viewport: SIZE, colorScheme: theme, deviceScaleFactor: 1.4 };
    const page = await browser.newPage(options);
    await page.goto(url);
    await page.getByText('Writing sessions to the new store...').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    const devtools = await page.context().newCDPSession(page);
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 70 });
    const folder = process.argv[2] ?? join(ROOT, 'docs');
    writeFileSync(join(folder, `page-${theme}.webp`), Buffer.from(data, 'base64'));
  }
  await browser.close();
  server.kill();
} finally {
  rmSync(home, { recursive: true, force: true });
}
