import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readExamples, testExamples } from './helpers/examples.ts';
import { cleanEnvironment, executable, run } from './helpers/executables.ts';
import { temporaryDirectory } from './helpers/files.ts';
import { hasTmux } from './helpers/tmux.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const readme = read('README.md');

testExamples('README.md');

test('two lines of one command each are enough on a fresh machine', () => {
  const lines = [...readme.matchAll(/^```sh\n(npm[\s\S]*?)^```$/gm)].map(([, text]) => text);
  expect(lines.slice(0, 2)).toEqual(['npm ci && npm start\n', 'npm cit\n']);
});

test('the line it tells people to paste works', () => {
  const [paste = ''] = readExamples(readme)
    .filter(({ language }) => language === 'text')
    .map(({ text }) => text);
  const env = cleanEnvironment({ TODO_STATE_DIR: temporaryDirectory() });
  const { stderr, stdout } = run('agent-shell', ['-c', paste], { cwd: '/', env });
  expect({ stderr, stdout }).toEqual({
    stderr: '',
    stdout: 'Todo list updated: 0 completed, 1 in_progress, 0 pending\n',
  });
});

test('the test for bats in docs/harnesses.md reads and writes no list but its own', () => {
  const folder = temporaryDirectory();
  for (const { words, text } of readExamples(read('docs/harnesses.md'))) {
    const [, name] = /^file=(.*)/.exec(words[0] ?? '') ?? [];
    if (name) writeFileSync(join(folder, name), text);
  }
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(executable('agent-shell'), join(bin, 'agent-shell'));
  const PATH = `${bin}:${process.env.PATH}`;
  const own = { TODO_STATE_DIR: join(folder, 'lists'), TODO_SESSION: 'mine' };
  const env = cleanEnvironment({ ...own, PATH });
  const open = '{"todos":[{"content":"Mine","activeForm":"Mine","status":"pending"}]}';
  run('todo-write', [open], { cwd: folder, env });
  const bats = join(ROOT, 'node_modules', 'bats', 'bin', 'bats');
  // Where nobody listens: whoever used this server would fail, and without it would use the folder.
  const onServer = { ...env, TODO_STATE_URL: 'etcd://127.0.0.1:1/lists' };
  const options = { cwd: folder, env: onServer, encoding: 'utf8' } as const;
  expect(execFileSync(bats, ['plan.bats'], options)).toContain('ok 1');
  expect(run('todo-read', [], { cwd: folder, env }).stdout).toContain('[ ] Mine');
});

test('it fits on two screens', () => {
  expect(readme.split('\n').length).toBeLessThan(150);
});

test('the Chinese page says the same: the same headings, commands and links', () => {
  const outline = (text: string) => ({
    headings: [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+(?= )/gm)].map(
      ([level]) => level,
    ),
    blocks: readExamples(text).map(({ language, text: block }) => `${language}\n${block}`),
    links: [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target)
      .filter((target) => !target?.startsWith('README')),
  });
  expect(outline(read('README.zh-CN.md'))).toEqual(outline(readme));
});

test('each npm script that it names exists', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const named = [...readme.matchAll(/npm run ([\w-]+)/g)].map(([, name = '']) => name);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...named, 'start', 'test']));
});

test.skipIf(!hasTmux)(
  'its pictures show what a terminal shows now; otherwise run npm run picture',
  () => {
    const folder = temporaryDirectory();
    execFileSync(process.execPath, [join(ROOT, 'scripts', 'picture.js'), folder]);
    for (const name of ['panel-dark.svg', 'panel-light.svg']) {
      expect(readme).toContain(`docs/${name}`);
      expect(readFileSync(join(folder, name), 'utf8')).toBe(read(`docs/${name}`));
    }
  },
);

test('its pictures of the page are there, and light to load', () => {
  for (const theme of ['dark', 'light']) {
    expect(readme).toContain(`docs/page-${theme}.webp`);
    expect(statSync(join(ROOT, `docs/page-${theme}.webp`)).size).toBeLessThan(40_000);
  }
});

test('its recordings play in the dark and in the light, and hold still for who asks for that', () => {
  for (const theme of ['dark', 'light']) {
    const recording = read(`docs/recording-${theme}.svg`);
    expect(readme).toContain(`docs/recording-${theme}.svg`);
    expect(recording.match(/<g class="f"/g)?.length).toBeGreaterThan(20);
    expect(recording).toContain('prefers-reduced-motion');
    expect(recording).not.toMatch(/<script|href="(?!#)|url\(/);
  }
});
