// `npm run harnesses [NAME ...]`: the real harnesses, with a scripted model on loopback. Each is set up, plans and works in
// a session, resumes it, and is put back as it was. A package that cannot be installed here is left out, by name.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GUIDANCE_RULES, listInContext } from '../../dist/index.js';
import { inDefaultMode, withOwnRules } from './default-mode.js';
import { HARNESSES } from './harnesses.js';
import { scriptedModel } from './scripted-model.js';
import { Terminal } from './terminal.js';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const INSTALL_MS = 600_000;
const RUN_MS = 600_000;
const REMINDER_TURNS = 3;

const TESTS = { content: 'Run the tests', activeForm: 'Running the tests', status: 'in_progress' };
const SHIP = { content: 'Ship it', activeForm: 'Shipping it', status: 'pending' };
const PLANNED = [TESTS, SHIP];
const CLAIMED = [
  { ...TESTS, status: 'completed' },
  { ...SHIP, status: 'in_progress' },
];
const writeLine = (todos) => `TodoWrite <<'EOF'\n${JSON.stringify({ todos })}\nEOF`;
const FAILING = 'npm test';

const wanted = process.argv.slice(2);
for (const harness of HARNESSES) {
  const { name } = harness;
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const packages = install(harness);
  if (packages === undefined) {
    console.log(`left out  ${name}: ${harness.package} cannot be installed here`);
    continue;
  }
  for (const part of [tryHarness, tryInDefaultMode]) {
    for (const [what, isSeen, detail] of await part(harness, packages)) {
      const more = detail ? ` (${detail})` : '';
      console.log(`${isSeen ? 'ok      ' : 'NOT SEEN'}  ${name}: ${what}${more}`);
      if (!isSeen) process.exitCode = 1;
    }
  }
}

/** The folder of its packages, where it can be installed; kept for the next time. */
function install({ package: name, version, node }) {
  const specifier = `${name}@${version}`;
  const folder = join(ROOT, 'node_modules', '.cache', 'harnesses', specifier.replace('/', '+'));
  const modules = join(folder, 'node_modules');
  try {
    if (!existsSync(join(modules, '.bin'))) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const all = [specifier, ...(node ? [`node@${node}`] : [])];
      execFileSync('npm', ['install', '--no-audit', '--no-fund', ...all], {
        cwd: folder,
        timeout: INSTALL_MS,
        stdio: 'ignore',
      });
    }
    return modules;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}

/** Each expectation, and whether it was met. */
async function tryHarness(harness, packages) {
  const root = mkdtempSync(join(tmpdir(), `todowrite-${harness.name}-`));
  const model = await scriptedModel();
  try {
    return await session(harness, packages, root, model);
  } finally {
    model.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** HOME is outside /tmp, where sandboxes allow writing. */
async function tryInDefaultMode(harness, packages) {
  const root = mkdtempSync(join(ROOT, 'node_modules', '.cache', 'harnesses', 'person-'));
  const model = await scriptedModel();
  try {
    const world = { ...(await worldIn(root, harness, packages, model.url)), model };
    const { byPerson } = harness;
    const { setup = harness.setup ?? [], configure, ownRules, losesReply, asksAll } = byPerson;
    // It says that there is a sandbox, to be started by root without questions.
    delete world.env.IS_SANDBOX;
    configure?.(world);
    await world.inProject('agent-shell', ['setup', harness.name, ...setup]);
    const found = await inDefaultMode(harness, world);
    if (asksAll) return [[asksAll, found.unasked.length === 0, found.unasked.join('; ')]];
    const lost = ownRules ? await withOwnRules(harness, world) : [];
    return [
      ['asked about no line of ours', found.asked],
      ['asked about all others', found.unasked],
      [
        'all of ours worked',
        found.failed,
        losesReply && `replies that it lost: ${found.lost.length}`,
      ],
      ...(ownRules ? [['rules of the user that deny or ask win', lost]] : []),
    ].map(([what, wrong, note]) => [what, wrong.length === 0, wrong.join('; ') || note]);
  } catch (error) {
    return [['its default mode', false, error.message]];
  } finally {
    model.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** A home, a project and a PATH with the commands. */
async function worldIn(root, harness, packages, url) {
  const [home, project, commands] = ['home', 'project', 'bin'].map((name) => join(root, name));
  for (const folder of [home, project, commands]) mkdirSync(folder);
  for (const [name, file] of Object.entries(bin)) {
    symlinkSync(join(ROOT, file), join(commands, name));
  }
  if (harness.node) {
    // Only the harness runs on that Node.
    const [node, program] = ['node', harness.program].map((name) => join(packages, '.bin', name));
    const start = `#!/bin/sh\nexec '${node}' '${program}' "$@"\n`;
    writeFileSync(join(commands, harness.program), start, { mode: 0o755 });
  }
  const path = [
    commands,
    ...(harness.node ? [] : [join(packages, '.bin')]),
    dirname(process.execPath),
  ].join(':');
  writeFileSync(join(home, '.profile'), `PATH=${path}:$PATH\n`);
  writeFileSync(join(home, '.bashrc'), '');
  const env = {
    PATH: `${path}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    TODO_REMINDER_TURNS: String(REMINDER_TURNS),
    ...harness.environment(url),
  };
  const inProject = (program, argv) => run(program, argv, { cwd: project, env });
  await inProject('git', ['init', '-q']);
  writeFileSync(join(project, 'AGENTS.md'), '# Rules\n');
  harness.prepare({ home, project, url });
  return { home, project, env, inProject };
}

async function session(harness, packages, root, model) {
  const { home, project, env, inProject } = await worldIn(root, harness, packages, model.url);
  const { setup: options = [], userFiles = [] } = harness;
  const ofUser = userFiles.map((file) => join(home, file));
  const files = () => new Map([...filesIn(project), ...texts(ofUser)]);
  const before = files();

  const seen = [];
  const see = (what, isSeen, detail = '') => seen.push([what, isSeen, detail]);
  const gate = harness.stops ? ['--gate'] : [];
  const setUp = (...more) => inProject('agent-shell', ['setup', harness.name, ...options, ...more]);
  const setup = await setUp(...gate);
  see('setup', setup.exitCode === 0, setup.exitCode === 0 ? '' : setup.output.trim());
  const check = await setUp('--check');
  see('setup --check is content', check.exitCode === 0, check.exitCode === 0 ? '' : check.output);

  const version = await inProject(harness.program, ['--version']);
  const expected = expectedTexts(root, env);
  model.script([
    { bash: writeLine(PLANNED) },
    { bash: 'TodoRead' },
    ...Array.from({ length: REMINDER_TURNS - 2 }, () => ({ bash: 'true' })),
    { bash: FAILING },
    { bash: writeLine(CLAIMED) },
    { text: 'All done.' },
    { text: 'I cannot ship it: there is no network here.' },
  ]);
  const first = await inProject(harness.program, harness.argv('Ship this project', false));
  const asked = [...model.asked];
  const isIn = (text) => asked.some((body) => body.includes(inJson(text)));
  see(
    'a session that plans',
    isIn(expected.written),
    `${version.output.trim().split('\n').at(-1)}; exit code ${first.exitCode}`,
  );
  see('TodoRead shows what it shows to models', isIn(expected.row));
  see('instructions in the request', isIn(instructionsIn(project, ofUser)));
  if (!harness.dropsReplies) see('a reminder in the next request', isIn(expected.reminder));
  if (harness.tellsExitCodes) {
    see('a failed check in the next request', isIn(expected.failedCheck));
  }
  if (harness.stops) {
    // Claude Code repeats it in the same request.
    const refusals = new Set(asked.map((body) => timesIn(body, expected.refusal))).size - 1;
    see('a stop with an open item is answered once', refusals === 1, `${refusals} times`);
  }

  model.script([{ text: 'I go on.' }]);
  await inProject(harness.program, harness.argv('Go on', true));
  const isBack = model.asked[0]?.includes(inJson(expected.list));
  see('the list is back in a resumed session', isBack);
  see('its item in progress can be told', /\[(?:>|in_progress)\] Ship it/.test(model.asked[0]));
  if (harness.compact) {
    await inProject(harness.program, harness.argv(harness.compact, true));
    model.script([{ text: 'I go on.' }]);
    await inProject(harness.program, harness.argv('Go on', true));
    const isCut = timesIn(model.asked[0], 'Ship this project') === 0;
    see('/compact cuts the conversation', isCut);
    const lists = timesIn(model.asked[0], expected.list);
    see('after a compaction and a resume the list is there once', lists === 1, `${lists} times`);
  }
  if (harness.onTerminal) await seeOnTerminal(harness, { project, env, model, expected, see });

  await setUp('--remove');
  const after = files();
  // A harness may have put files of its own there; none of them may be ours.
  const isUndone =
    [...before].every(([path, text]) => after.get(path) === text) &&
    ![...after.values()].some((text) => text.includes('agent-shell'));
  see('remove leaves what was there', isUndone);
  const log = readLog(home);
  see('the hook had nothing to complain of', log === '', log);
  return seen;
}

/** What the model is sent of a command that runs on a terminal, and whether the list is back after the conversation was cut. */
async function seeOnTerminal({ program, onTerminal }, { project, env, model, expected, see }) {
  model.script([{ bash: 'TodoRead' }, { text: 'Read it.' }]);
  const terminal = new Terminal([program, ...onTerminal.argv], { cwd: project, env });
  const shows = (text) => terminal.screen().includes(text);
  try {
    await terminal.start(onTerminal);
    await terminal.type('Read the list', () => shows('Read it.'));
    const result = model.asked.at(-1) ?? '';
    see(
      'on a terminal, TodoRead shows what it shows to models',
      result.includes(inJson(expected.rowNow)),
    );
    see('on a terminal, no escapes reach the model', !/\\u001b|\x1b/.test(result));
    await terminal.type(onTerminal.cut, () => onTerminal.isCut.test(terminal.screen()));
    model.script([{ text: 'I go on.' }]);
    await terminal.type('Go on', () => shows('I go on.'));
    const [before = '', after = ''] = (model.asked[0] ?? '').split('Go on');
    see(
      'on a terminal, the list is back after a compaction',
      timesIn(onTerminal.isBeforePrompt ? before : after, expected.list) === 1,
    );
  } catch (error) {
    see('on a terminal', false, error.message);
  } finally {
    await terminal.close();
  }
}

/** The product's own texts; the first lines suffice, since some harnesses escape the marks of items. */
function expectedTexts(root, env) {
  const rule = (name) => GUIDANCE_RULES.find((one) => one.name === name);
  const change = { before: TESTS, after: CLAIMED[0] };
  const commands = [{ line: FAILING, exitCode: 1 }];
  const work = { items: CLAIMED, changes: [change], commands, hasFailed: true };
  const stale = {
    items: PLANNED,
    commandsSinceWrite: REMINDER_TURNS,
    reminderTurns: REMINDER_TURNS,
  };
  const [reminder] = rule('stale-list').say(stale, 0);
  const [failedCheck] = rule('failed-check').say(work, 0);
  const own = { ...env, TODO_STATE_DIR: join(root, 'expected'), CLAUDE_CODE_SESSION_ID: '1' };
  const ask = (program, argv, input) =>
    spawnSync(program, argv, { cwd: root, env: own, input, encoding: 'utf8' }).stdout.trim();
  const written = ask('TodoWrite', [JSON.stringify({ todos: PLANNED })]);
  const stop = { hook_event_name: 'Stop', session_id: '1', last_assistant_message: '' };
  const { reason } = JSON.parse(ask('agent-shell', ['hook', '--gate'], JSON.stringify(stop)));
  return {
    written,
    // In tool output angle brackets are kept.
    row: ask('TodoRead', []).split('\n')[0],
    rowNow: `[x] ${TESTS.content}`,
    reminder,
    // The code is that of the real command.
    failedCheck: failedCheck.replace(/ 1 .*/, ''),
    refusal: reason.split('\n').at(-1),
    list: listInContext(CLAIMED).split('\n')[0],
  };
}

/** The first sentence that setup has added to the instructions. */
function instructionsIn(project, ofUser) {
  const names = ['CLAUDE.md', 'GEMINI.md', 'QWEN.md', 'AGENTS.md'];
  for (const [, text] of texts([...names.map((name) => join(project, name)), ...ofUser])) {
    const [, section] = text.split('<!-- BEGIN');
    if (section) return section.split('\n').find((line) => /^[A-Z]/.test(line));
  }
  return 'no instructions';
}

/** How often a request contains a text. */
function timesIn(body = '', text = '') {
  return body.split(inJson(text)).length - 1;
}

/** A text as it is in the JSON of a request. */
function inJson(text) {
  return JSON.stringify(text).slice(1, -1);
}

function run(program, argv, options) {
  return new Promise((resolve) => {
    const child = spawn(program, argv, {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MS,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', (error) => resolve({ exitCode: -1, output: String(error) }));
    child.on('close', (exitCode) => resolve({ exitCode, output }));
  });
}

/** Contents by path, without .git and packages. */
function filesIn(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    // Qwen Code keeps a copy of settings that it has brought up to date.
    .filter((path) => !/\/(?:\.git|node_modules)\/|\.orig$/.test(path));
  return new Map(texts(paths));
}

/** Of the files that are there: each path with its contents. */
function texts(paths) {
  return paths.filter(existsSync).map((path) => [path, readFileSync(path, 'utf8')]);
}

function readLog(home) {
  try {
    return readFileSync(join(home, '.local', 'state', 'todowrite', 'hook.log~'), 'utf8').trim();
  } catch {
    return '';
  }
}
