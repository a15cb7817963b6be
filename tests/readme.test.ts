import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testExamples } from './helpers/examples.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const readme = read('README.md');

testExamples('README.md');

test('two lines of one command each are enough on a fresh machine', () => {
  const lines = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  expect(lines.slice(0, 2)).toEqual(['npm ci && npm start\n', 'npm cit\n']);
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
