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
  /** Runs a program as if this were another runtime. */
  const run = (versions: object, ...argv: string[]) => {
    const cwd = temporaryDirectory();
    const value = `{ ...process.versions, ...${JSON.stringify(versions)} }`;
    const hook = `Object.defineProperty(process, 'versions', { value: ${value} });`;
    writeFileSync(join(cwd, 'hook.cjs'), hook);
    const options = { cwd, env: cleanEnvironment(), encoding: 'utf8' } as const;
    return spawnSync(process.execPath, ['-r', join(cwd, 'hook.cjs'), ...argv], options);
  };
  const OLD = { node: '18.20.4' };

  test('an agent command as any other: they begin with the same program, but for its name', () => {
    const commands = join(DIST, 'bin', 'commands');
    const texts = readdirSync(commands).map((name) =>
      readFileSync(join(commands, name), 'utf8').replace(/\{"\w+":\{[^}]*\}\}/, ''),
    );
    expect(texts.length).toBeGreaterThan(10);
    expect(new Set(texts).size).toBe(1);
  });

  test.each(['agent-shell.cjs', 'commands/TodoWrite'])('%s', (name) => {
    const { stdout, stderr, status } = run(OLD, join(DIST, 'bin', name), '--version');
    expect([stdout, status]).toEqual(['', 1]);
    expect(stderr).toMatch(/^[\w-]+: needs Node 20\.19 [^\n]*, found 18\.20\.4\n$/);
    // A hook disturbs no coding agent.
    const hook = run(OLD, join(DIST, 'bin', name), 'hook');
    expect(hook).toMatchObject({ stdout: '', stderr: '', status: 0 });
  });

  test('the library, on an old Node and on Bun', () => {
    const program = join(temporaryDirectory(), 'program.mjs');
    writeFileSync(program, `import ${JSON.stringify(join(DIST, 'any-node.js'))};`);
    for (const [versions, found] of [
      [OLD, 'found 18.20.4'],
      [{ bun: '1.4.0' }, 'not Bun 1.4.0'],
    ] as const) {
      const { status, stderr } = run(versions, program);
      expect(status).toBe(1);
      expect(stderr).toMatch(new RegExp(`^todowrite: needs Node 20\\.19 [^\\n]*, ${found}\\n$`));
    }
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
