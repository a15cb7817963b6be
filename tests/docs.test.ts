import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testExamples, testTypes } from './helpers/examples.ts';

const ROOT = join(import.meta.dirname, '..');

const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name))
  .sort();

for (const page of pages) testExamples(page);
testTypes(['README.md', ...pages]);

describe.each(['README.md', ...pages])('%s', (page) => {
  test('its links lead somewhere', () => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(
      ([, target = '']) => target,
    );
    const broken = targets.filter(
      (target) => !/^https?:/.test(target) && !existsSync(join(ROOT, dirname(page), target)),
    );
    expect(broken).toEqual([]);
  });
});
