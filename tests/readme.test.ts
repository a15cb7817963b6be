import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readExamples, testExamples } from './helpers/examples.ts';

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

test('its picture is what the demo shows now; if not, npm run picture', () => {
  const picture = execFileSync(process.execPath, [join(ROOT, 'scripts', 'picture.js'), '-'], {
    encoding: 'utf8',
  });
  expect(picture).toBe(read('docs/panel.svg'));
});
