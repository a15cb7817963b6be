// Counts the functions of src/ that one call runs. `--list` names them, file by file.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const folder = mkdtempSync(join(tmpdir(), 'todowrite-functions-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const name of Object.keys(process.env)) if (name.startsWith('TODO_')) delete process.env[name];
process.env.TODO_STATE_DIR = join(folder, 'state');

// Not minified: each bundle names the file that a piece of code is from.
const bundled = async (name) => {
  await build({
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    loader: { '.md': 'text', '.sh': 'text', '.txt': 'text', '.html': 'text' },
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    define: { PACKAGE_VERSION: '"0"', EXECUTABLE: 'process.env.EXECUTABLE' },
    logLevel: 'error',
    entryPoints: [`src/bin/${name}.ts`],
    outfile: join(folder, `${name}.cjs`),
  });
  return join(folder, `${name}.cjs`);
};

const item = (content, status) => ({ content, activeForm: `${content} now`, status });
const todos = (first) =>
  JSON.stringify({
    todos: [item('Read', first), item('Write', 'in_progress'), item('Test', 'pending')],
  });

/** @returns {Record<string, string[]>} the functions that ran, by the file of src/ that they are in */
function ownFunctions(file, { functions }) {
  const text = readFileSync(file, 'utf8');
  const pieces = [...text.matchAll(/^\/\/ ([\w./-]+)$/gm)];
  const found = {};
  for (const { functionName, ranges } of functions) {
    const [{ startOffset, count }] = ranges;
    const piece = pieces.findLast(({ index }) => index <= startOffset);
    if (count === 0 || startOffset === 0 || !piece?.[1].startsWith('src/')) continue;
    found[piece[1]] ??= [];
    found[piece[1]].push(functionName || `at ${startOffset}`);
  }
  return found;
}

async function inProcess() {
  const file = await bundled('library');
  const { BashRouter } = createRequire(import.meta.url)(file);
  const router = new BashRouter();
  await router.route(`TodoWrite '${todos('pending')}'`);
  const session = new Session();
  session.connect();
  const post = (method, options) =>
    new Promise((resolve, reject) =>
      session.post(method, options, (error, result) => (error ? reject(error) : resolve(result))),
    );
  await post('Profiler.enable');
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await post('Profiler.takePreciseCoverage');
  await router.route(`TodoWrite '${todos('completed')}'`);
  const { result } = await post('Profiler.takePreciseCoverage');
  await router.dispose();
  return ownFunctions(
    file,
    result.find(({ url }) => url.endsWith(basename(file))),
  );
}

async function asProgram(name, executable, argv, input = '') {
  const file = await bundled(name);
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  const options = { cwd: folder, input, stdio: ['pipe', 'pipe', 'inherit'] };
  const env = { ...process.env, EXECUTABLE: executable, NODE_V8_COVERAGE: coverage };
  execFileSync(process.execPath, [file, ...argv], { ...options, env });
  const [report] = readdirSync(coverage);
  const { result } = JSON.parse(readFileSync(join(coverage, report), 'utf8'));
  return ownFunctions(
    file,
    result.find(({ url }) => url.endsWith(basename(file))),
  );
}

writeFileSync(join(folder, 'package.json'), '{}');
const event = JSON.stringify({
  hook_event_name: 'PostToolUse',
  session_id: 's',
  cwd: folder,
  tool_name: 'Bash',
  tool_input: { command: 'npm test' },
  tool_response: { stdout: '', stderr: '', exit_code: 0 },
});
const calls = {
  'TodoWrite in process': await inProcess(),
  'TodoWrite as a program': await asProgram('todo-write', 'TodoWrite', [todos('pending')]),
};
await asProgram('tasks', 'TaskCreate', ['--subject', 'A']);
calls['TaskClaim --next'] = await asProgram('tasks', 'TaskClaim', ['--next']);
calls['the hook'] = await asProgram('agent-hook', 'agent-shell', ['claude'], event);

for (const [call, found] of Object.entries(calls)) {
  const count = Object.values(found).flat().length;
  console.log(`${call}: ${count} functions in ${Object.keys(found).length} files`);
  if (!process.argv.includes('--list')) continue;
  for (const [file, names] of Object.entries(found)) console.log(`  ${file}: ${names.join(', ')}`);
}
