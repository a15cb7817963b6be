import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { unsupportedRuntime } from '../../src/bin/node-version.ts';
import { cleanEnvironment } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';

const DIST = join(import.meta.dirname, '..', '..', 'dist');

test.each([
  ['20.19.0', true],
  ['20.18.3', false],
  ['22.12.0', true],
  ['22.11.0', false],
  ['21.7.3', false],
  ['24.0.0', true],
  ['18.20.4', false],
  ['14.21.3', false],
])('Node %s: %s', (node, isSupported) => {
  expect(unsupportedRuntime({ node } as NodeJS.ProcessVersions) === undefined).toBe(isSupported);
});

test('Deno is named', () => {
  expect(unsupportedRuntime({ ...process.versions, deno: '2.1.0' })).toMatch(/not Deno 2\.1\.0$/);
});

describe('on an unsupported runtime, one line names the needed and the found version, and the exit code is 1', () => {
  const folder = () => {
    const directory = temporaryDirectory();
    const pretend = (versions: object) =>
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, ...${JSON.stringify(versions)} } });`;
    writeFileSync(join(directory, 'old.cjs'), pretend({ node: '18.20.4' }));
    writeFileSync(join(directory, 'bun.cjs'), pretend({ bun: '1.4.0' }));
    return directory;
  };
  const run = (directory: string, hook: string, ...argv: string[]) =>
    spawnSync(process.execPath, ['-r', join(directory, hook), ...argv], {
      cwd: directory,
      env: cleanEnvironment(),
      encoding: 'utf8',
    });

  test('an agent command as any other: they begin with the same program, but for its name', () => {
    const commands = join(DIST, 'bin', 'commands');
    const texts = readdirSync(commands).map((name) =>
      readFileSync(join(commands, name), 'utf8').replace(/\{"\w+":\{[^}]*\}\}/, ''),
    );
    expect(texts.length).toBeGreaterThan(10);
    expect(new Set(texts).size).toBe(1);
  });

  test.each(['agent-shell.cjs', 'commands/TodoWrite', 'commands/TaskUndo'])('%s', (name) => {
    const { stdout, stderr, status } = run(
      folder(),
      'old.cjs',
      join(DIST, 'bin', name),
      '--version',
    );
    expect([stdout, status]).toEqual(['', 1]);
    expect(stderr).toMatch(/^[\w-]+: needs Node 20\.19 [^\n]*, found 18\.20\.4\n$/);
  });

  test('the library, on an old Node and on Bun', () => {
    const directory = folder();
    const program = join(directory, 'program.mjs');
    writeFileSync(program, `import ${JSON.stringify(join(DIST, 'any-node.js'))};`);
    expect(run(directory, 'old.cjs', program)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^todowrite: needs Node 20\.19 [^\n]*, found 18\.20\.4\n$/),
    });
    expect(run(directory, 'bun.cjs', program)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^todowrite: needs Node 20\.19 [^\n]*, not Bun 1\.4\.0\n$/),
    });
  });
});

test.each(['bin/agent-shell.cjs', 'bin/commands/TodoWrite', 'any-node.js'])(
  'an old Node can read %s, or it could say nothing',
  (name) => {
    const text = readFileSync(join(DIST, name), 'utf8').replace(/^#!.*/, '');
    // esbuild would rewrite newer syntax, and write some by itself if it minified. (Node has top-level await since 14.8.)
    const words = (target: string) =>
      transformSync(text, { target, supported: { 'top-level-await': true } }).code;
    expect(words('node14')).toBe(words('esnext'));
  },
);
