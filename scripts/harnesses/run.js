// `npm run harnesses [NAME ...]`: the real harnesses, with a scripted model on loopback. Each is set up, plans and works in
// a session, resumes it, and is put back as it was. A package that cannot be installed here is left out, by name.
import { execFileSync, spawn } from 'node:child_process';
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
import { HARNESSES } from './harnesses.js';
import { scriptedModel } from './scripted-model.js';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const INSTALL_MS = 600_000;
const RUN_MS = 600_000;
const REMINDER_TURNS = 3;

const PLAN = `TodoWrite <<'EOF'
{"todos":[{"content":"Run the tests","activeForm":"Running the tests","status":"in_progress"},
          {"content":"Ship it","activeForm":"Shipping it","status":"pending"}]}
EOF`;
const CLAIM = PLAN.replace('in_progress', 'completed').replace('pending', 'in_progress');

const wanted = process.argv.slice(2);
const results = [];
for (const harness of HARNESSES) {
  if (wanted.length > 0 && !wanted.includes(harness.name)) continue;
  const packages = install(harness);
  if (packages === undefined) {
    results.push(`left out  ${harness.name}: ${harness.package} cannot be installed here`);
    continue;
  }
  for (const [what, isSeen, detail] of await tryHarness(harness, packages)) {
    results.push(
      `${isSeen ? 'ok      ' : 'NOT SEEN'}  ${harness.name}: ${what}${detail ? ` (${detail})` : ''}`,
    );
    if (!isSeen) process.exitCode = 1;
  }
}
console.log(results.join('\n'));

/** The folder of its packages, where it can be installed; kept for the next time. */
function install({ name, package: specifier }) {
  const folder = join(ROOT, 'node_modules', '.cache', 'harnesses', name);
  const modules = join(folder, 'node_modules');
  try {
    if (!existsSync(join(modules, '.bin'))) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      execFileSync('npm', ['install', '--no-audit', '--no-fund', specifier], {
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

/** What was to be seen, and whether it was. */
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

async function session(harness, packages, root, model) {
  const [home, project, commands] = ['home', 'project', 'bin'].map((name) => join(root, name));
  for (const folder of [home, project, commands]) mkdirSync(folder);
  for (const [name, file] of Object.entries(bin)) {
    symlinkSync(join(ROOT, file), join(commands, name));
  }
  const path = [commands, join(packages, '.bin'), dirname(process.execPath)].join(':');
  writeFileSync(join(home, '.profile'), `PATH=${path}:$PATH\n`);
  writeFileSync(join(home, '.bashrc'), '');
  const env = {
    PATH: `${path}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    TODO_REMINDER_TURNS: String(REMINDER_TURNS),
    ...harness.environment(model.url),
  };
  const inProject = (program, argv) => run(program, argv, { cwd: project, env });
  await inProject('git', ['init', '-q']);
  writeFileSync(join(project, 'AGENTS.md'), '# Rules\n');
  harness.prepare({ home, project, url: model.url });
  const before = filesIn(project);

  const seen = [];
  const see = (what, isSeen, detail = '') => seen.push([what, isSeen, detail]);
  const setup = await inProject('agent-shell', ['setup', harness.name, '--gate']);
  see('setup', setup.exitCode === 0, setup.exitCode === 0 ? '' : setup.output.trim());
  const check = await inProject('agent-shell', ['setup', harness.name, '--check']);
  see('setup --check is content', check.exitCode === 0, check.exitCode === 0 ? '' : check.output);

  const version = await inProject(harness.program, ['--version']);
  model.script([
    { bash: PLAN },
    ...Array.from({ length: REMINDER_TURNS }, () => ({ bash: 'true' })),
    { bash: CLAIM },
    { text: 'All done.' },
    { text: 'I cannot ship it: there is no network here.' },
  ]);
  const first = await inProject(harness.program, harness.argv('Ship this project', false));
  const asked = [...model.asked];
  const isIn = (text) => asked.some((body) => body.includes(text));
  see(
    'a session that plans',
    isIn('Todo list updated: 0 completed, 1 in_progress, 1 pending'),
    `${version.output.trim().split('\n').at(-1)}; exit code ${first.exitCode}`,
  );
  see('instructions in the request', isIn('Your shell has TodoWrite'));
  see(
    'a reminder in the next request',
    isIn(`no TodoWrite in the last ${REMINDER_TURNS} commands`),
  );
  see('a word on missing evidence', isIn('is completed, but no test command has run'));
  if (harness.stops) {
    const refusals = asked.at(-1)?.split('Finish, or say why not').length - 1;
    see('a stop with an open item is answered once', refusals === 1, `${refusals} times`);
  }

  model.script([{ text: 'I go on.' }]);
  await inProject(harness.program, harness.argv('Go on', true));
  see('the list is back in a resumed session', model.asked[0]?.includes('as it stands'));

  await inProject('agent-shell', ['setup', harness.name, '--remove']);
  const after = filesIn(project);
  // A harness may have put files of its own there; none of them may be ours.
  const isBack =
    [...before].every(([path, text]) => after.get(path) === text) &&
    ![...after.values()].some((text) => text.includes('agent-shell'));
  see('remove leaves what was there', isBack);
  const log = readLog(home);
  see('the hook had nothing to complain of', log === '', log);
  return seen;
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

/** Contents by their paths, but for git's own and packages. */
function filesIn(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/(?:\.git|node_modules)\//.test(path));
  return new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

function readLog(home) {
  try {
    return readFileSync(join(home, '.local', 'state', 'todowrite', 'hook.log~'), 'utf8').trim();
  } catch {
    return '';
  }
}
