import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readExamples, testExamples } from './helpers/examples.ts';
import { temporaryDirectory } from './helpers/files.ts';
import { hasTmux } from './helpers/tmux.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const readme = read('README.md');

testExamples('README.md');

test('two lines of one command each are enough on a fresh machine', () => {
  const lines = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  expect(lines.slice(0, 2)).toEqual(['npm ci && npm start\n', 'npm cit\n']);
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

test.skipIf(!hasTmux)('its pictures are what a terminal shows now; if not, npm run picture', () => {
  const folder = temporaryDirectory();
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'picture.js'), folder]);
  for (const name of ['panel-dark.svg', 'panel-light.svg']) {
    expect(readme).toContain(`docs/${name}`);
    expect(readFileSync(join(folder, name), 'utf8')).toBe(read(`docs/${name}`));
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
