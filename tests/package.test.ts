import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { typeCheck } from './helpers/executables.ts';
import { npmEnvironment, packedPackage } from './helpers/packed-package.ts';

// The package as it is published: packed, installed in an empty folder (here a prefix of npm's), used from there.

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

let root = '';
let folder = '';
let tarball = '';
let prefix = '';
let packed: readonly string[] = [];
/** With lists of its own. */
let environment: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'todowrite-package-')));
  const made = await packedPackage();
  ({ tarball, prefix, files: packed } = made);
  environment = { ...npmEnvironment(made), TODO_STATE_DIR: join(root, 'lists') };
  await run('cp', ['-a', prefix, root]);
  folder = join(root, 'prefix', 'lib');
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  symlinkSync(join(ROOT, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
  writeFileSync(join(folder, 'import.mjs'), `import { BashRouter } from 'todowrite';${PROGRAM}`);
  const required = `const { BashRouter } = require('todowrite');${PROGRAM}`;
  writeFileSync(join(folder, 'require.cjs'), required);
}, 600_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('it holds what a user needs, the executables of package.json among it, and nothing else', () => {
  expect(packed).toEqual(
    expect.arrayContaining([
      '.env.example',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'package.json',
      'dist/index.js',
      'dist/types/index.d.ts',
      ...['docs/architecture.md', 'docs/library.md', 'docs/panel-dark.svg', 'docs/panel-light.svg'],
    ]),
  );
  const known =
    /^(\.env\.example|LICENSE|README(\.zh-CN)?\.md|(CHANGELOG|CONTRIBUTING|SECURITY)\.md|package\.json|dist\/((index|any-node)\.js|bin\/([\w-]+\.(cjs|bash|json)|commands\/\w+)|programs\/[\w-]+\.cjs|types\/.*\.d\.ts)|docs\/.*\.(md|svg|webp)|examples\/[\w-]+\.(ts|py))$/;
  expect(packed.filter((path) => !known.test(path))).toEqual([]);
  const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(packed).toEqual(expect.arrayContaining(Object.values(bin)));
});

test('nothing in it tells where it was built', () => {
  for (const path of packed) {
    expect(readFileSync(join(folder, 'node_modules/todowrite', path), 'utf8')).not.toContain(ROOT);
  }
});

test('the steps of the Dockerfile in docs/platforms.md make an image whose login shells find the commands', async () => {
  const page = readFileSync(join(ROOT, 'docs', 'platforms.md'), 'utf8');
  const [, steps = ''] = /^```dockerfile file=Dockerfile\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const image = join(root, 'image');
  const home = join(root, 'image-home');
  for (const made of ['tmp', 'etc', 'usr/local', 'workspace']) {
    mkdirSync(join(image, made), { recursive: true });
  }
  mkdirSync(home);
  // Its folders, and those of Debian that login shells look in.
  const inside = (text: string) => text.replace(/(?<=^|[\s=:])\/(?=[a-z])/g, `${image}/`);
  writeFileSync(join(home, '.bash_profile'), `PATH=${image}/usr/local/bin:/usr/bin:/bin\n`);
  const variables: Record<string, string> = {};
  for (const step of steps.match(/^[A-Z]+ .*/gm) ?? []) {
    const [, word, rest = ''] = /^(\w+) (.*)/.exec(step) ?? [];
    if (word === 'ENV') Object.assign(variables, Object.fromEntries([inside(rest).split('=')]));
    else if (word === 'COPY')
      await run('bash', ['-c', `cp ${inside(rest)}`], { cwd: dirname(tarball) });
    else if (word === 'RUN') {
      const installed = `cp -a ${prefix}/. ${image}/usr/local && test -f`;
      const line = inside(rest).replace('npm install --global', installed);
      const env = { ...environment, npm_config_prefix: join(image, 'usr/local') };
      await run('bash', ['-c', line], { cwd: image, env });
    } else expect(step).toMatch(/^FROM node:\d+$/);
  }
  const node = dirname(process.execPath);
  const line = `PATH=$PATH:${node}; TodoWrite '{"todos":[]}'; command -v TodoRead; agent-shell -c TodoRead`;
  const env = { HOME: home, PATH: '/usr/bin:/bin', ...variables };
  const { stdout, stderr } = await run('bash', ['-lc', line], { cwd: image, env });
  expect({ stdout, stderr }).toEqual({
    stdout: `Todo list updated: 0 completed, 0 in_progress, 0 pending\n${image}/usr/local/bin/TodoRead\nNo todos.\n`,
    stderr: '',
  });
  expect(readdirSync(join(image, 'workspace'))).toEqual(['.todowrite']);
  expect(readdirSync(join(image, 'tmp'))).toEqual([]);
});

const PROGRAM = `
  const router = new BashRouter();
  router.route(\`TodoWrite '{"todos":[]}' && TodoRead\`).then(async ({ stdout }) => {
    console.log(stdout.trim());
    await router.dispose();
  });
`;
const PRINTED = 'Todo list updated: 0 completed, 0 in_progress, 0 pending\nNo todos.\n';

// `npm run smoke` runs it on other versions, and on what is refused.
test('its library is imported and required, and its executables run', async () => {
  const { TODO_STATE_DIR: _, ...rest } = process.env;
  const env = { ...rest, HOME: folder, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const options = { cwd: folder, env };
  expect((await run(process.execPath, ['import.mjs'], options)).stdout).toBe(PRINTED);
  expect((await run(process.execPath, ['require.cjs'], options)).stdout).toBe(PRINTED);
  const commands = join(root, 'prefix', 'bin');
  const line = `TodoWrite '{"todos":[]}' && TodoRead`;
  const agentShell = await run(join(commands, 'agent-shell'), ['-c', line], options);
  expect(agentShell.stdout).toBe(PRINTED);
  expect((await run(join(commands, 'TodoRead'), [], options)).stdout).toBe('No todos.\n');
});

test('tools that do not read "exports", such as TypeScript 5 by default, find it and its types', async () => {
  const home = join(folder, 'node_modules', 'todowrite');
  const { types } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  expect(packed).toContain(join(types));
  // Node reads none for a path.
  const program = `const { BashRouter } = require(${JSON.stringify(home)});${PROGRAM}`;
  writeFileSync(join(folder, 'by-path.cjs'), program);
  const options = { cwd: folder, env: environment };
  expect((await run(process.execPath, ['by-path.cjs'], options)).stdout).toBe(PRINTED);
});

test.each(['esm', 'cjs'] as const)('a program bundled as %s contains it', async (format) => {
  const outfile = join(root, format === 'esm' ? 'bundle.mjs' : 'bundle.cjs');
  const entryPoints = [join(folder, 'import.mjs')];
  await build({ entryPoints, outfile, format, bundle: true, platform: 'node' });
  expect((await run(process.execPath, [outfile], { env: environment })).stdout).toBe(PRINTED);
});

const TYPED = `import { BashRouter, type TodoItem } from 'todowrite';
  export const router: BashRouter = new BashRouter({ cwd: '/' });
  export const item: TodoItem = { content: 'a', activeForm: 'b', status: 'pending', priority: 'low' };
  // @ts-expect-error: no such status
  export const wrong: TodoItem = { content: 'a', activeForm: 'b', status: 'done' };
`;

test('its types are found with each kind of module and resolution, with the types of Node and without, and reject wrong code', () => {
  const projects = [
    // With a look at the declarations themselves, which most projects leave out.
    ['nodenext', 'nodenext', ['node'], { lib: ['es2023'], skipDefaultLibCheck: true }],
    ['node16', 'node16', ['node'], { skipLibCheck: true }],
    ['esnext', 'bundler', ['node'], { skipLibCheck: true }],
    ['nodenext', 'nodenext', [], { skipLibCheck: true }],
  ].map(([module, moduleResolution, types, more]) => {
    const project = mkdtempSync(join(folder, `types-${moduleResolution}-`));
    writeFileSync(join(project, 'program.ts'), TYPED);
    const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true };
    const kind = { target: 'es2023', module, moduleResolution, types };
    const compilerOptions = { ...kind, ...strict, ...(more as object) };
    const config = JSON.stringify({ compilerOptions, include: ['*.ts'] });
    writeFileSync(join(project, 'tsconfig.json'), config);
    return project;
  });
  // Built together, they share what the compiler reads.
  expect(typeCheck('-b', ...projects)).toEqual({ status: 0, stdout: '' });
});
