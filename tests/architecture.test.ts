import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

// The promises of docs/architecture.md: which door may enter which, and which things are passed in.

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

/** The doors of src/, from the ground up, and those that each may enter. docs/architecture.md says what lives in each. */
const DOORS: Record<string, readonly string[]> = {
  base: [],
  lists: ['base'],
  servers: ['base', 'lists'],
  todo: ['base', 'lists'],
  tasks: ['base', 'lists'],
  screen: ['base', 'todo', 'tasks'],
  guidance: ['base', 'todo', 'tasks'],
  shell: ['base', 'todo', 'screen', 'guidance'],
  viewer: ['base', 'lists', 'todo', 'tasks', 'screen'],
  harness: ['base', 'lists', 'todo', 'tasks', 'guidance'],
  prompt: ['base', 'lists', 'servers', 'todo', 'tasks', 'screen', 'guidance', 'harness'],
  cli: [...['base', 'lists', 'servers', 'todo', 'tasks', 'guidance', 'shell', 'viewer'], 'harness'],
  bin: [
    ...['base', 'lists', 'servers', 'todo', 'tasks', 'screen', 'guidance', 'shell', 'viewer'],
    ...['harness', 'prompt', 'cli', 'index.ts'],
  ],
  'index.ts': ['base', 'lists', 'todo', 'tasks', 'screen', 'guidance', 'shell'],
};
/** They bring the others together: here the environment, streams and the clock are reached for. */
const OUTER = ['viewer', 'prompt', 'cli', 'bin', 'index.ts'];
/** A library's defaults have to come from somewhere. */
const MAY_REACH_FOR_ENVIRONMENT = ['bash-router.ts'];

interface Source {
  name: string;
  part: string;
  code: string;
  imports: { file: string; part: string; isType: boolean }[];
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  .map(readSource);

function readSource(name: string): Source {
  const text = readFileSync(join(SRC, name), 'utf8');
  const code = text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '$1');
  const statements =
    /(?:import|export)\s+(type\s)?[^;'"]*?from\s*'(\.[^']+)'|import\s*\(?\s*'(\.[^']+)'/g;
  const imports = [...code.matchAll(statements)].map(([, type, from, bare]) => {
    const [path = ''] = (from ?? bare ?? '').split('?');
    const file = relative(SRC, join(SRC, dirname(name), path));
    return { file, part: partOf(file), isType: type !== undefined };
  });
  return { name, part: partOf(name), code, imports };
}

function partOf(name: string): string {
  return name.split(sep)[0] ?? '';
}

const below = sources.filter(({ part }) => !OUTER.includes(part));

test('each door enters only those that it may', () => {
  const wrong = sources.flatMap(({ name, part, imports }) =>
    imports
      .filter((imported) => ![part, ...(DOORS[part] ?? [])].includes(imported.part))
      .map((imported) => `${name} imports ${imported.part}`),
  );
  expect(wrong).toEqual([]);
});

test('docs/architecture.md lists the doors in their order: each enters those above it', () => {
  const page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
  const [tree = ''] = /^src\/\n(?: .*\n)+/m.exec(page) ?? [];
  const order = [...tree.matchAll(/^ {2}(\w+)\/ /gm)].map(([, name = '']) => name);
  expect(order).toEqual(Object.keys(DOORS).filter((name) => !name.includes('.')));
  const wrong = Object.entries(DOORS).flatMap(([door, others]) =>
    others
      .filter((other) => order.includes(door) && order.indexOf(other) >= order.indexOf(door))
      .map((other) => `${door} enters ${other}`),
  );
  expect(wrong).toEqual([]);
});

test('no files import each other in a circle, not even types', () => {
  const importsOf = new Map(sources.map(({ name, imports }) => [name, imports]));
  const done = new Set<string>();
  const circles: string[] = [];
  const follow = (name: string, path: readonly string[]) => {
    if (path.includes(name)) circles.push([...path.slice(path.indexOf(name)), name].join(' > '));
    if (path.includes(name) || done.has(name)) return;
    for (const { file } of importsOf.get(name) ?? []) follow(file, [...path, name]);
    done.add(name);
  };
  for (const { name } of sources) follow(name, []);
  expect(circles).toEqual([]);
});

test('TodoRead, which checks only what is stored, starts without zod', () => {
  const byName = new Map(sources.map((source) => [source.name, source]));
  const loaded = new Set([join('bin', 'todo-read.ts')]);
  for (const name of loaded) {
    for (const { file, isType } of byName.get(name)?.imports ?? []) if (!isType) loaded.add(file);
  }
  expect(loaded).toContain(join('tasks', 'stored-tasks.ts'));
  const withZod = [...loaded].filter((name) =>
    /import (?!type)[^;]*'zod/.test(byName.get(name)?.code ?? ''),
  );
  expect(withZod).toEqual([]);
});

test('in the inner doors nothing prints, ends the program or reaches for its environment', () => {
  const reaching = below.flatMap(({ name, code }) => {
    const found = code.match(
      /\bconsole\.\w+|\bprocess\.(stdin|stdout|stderr|exit|exitCode|argv|env|cwd)\b/g,
    );
    return (found ?? []).map((what) => `${name}: ${what}`);
  });
  const allowed = (found: string) =>
    MAY_REACH_FOR_ENVIRONMENT.some((name) => RegExp(`/${name}: process.(env|cwd)$`).test(found));
  expect(reaching.filter((found) => !allowed(found))).toEqual([]);
});

test('the panel knows of the lists only their types, and which item is which', () => {
  const values = sources
    .filter(({ part }) => part === 'screen')
    .flatMap(({ imports }) =>
      imports.filter(({ part, isType }) => ['tasks', 'todo'].includes(part) && !isType),
    );
  expect(new Set(values.map(({ file }) => file))).toEqual(new Set([join('todo', 'pair-items.ts')]));
});

test('one place writes the word that notes begin with', () => {
  const writers = sources.filter(({ code }) => code.includes('Note: '));
  expect(writers.map(({ name }) => name)).toEqual([join('base', 'command', 'replies.ts')]);
});

const README = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');

test.each([
  ['TodoWrite', 'todo/todo-write.ts'],
  ['TaskCreate', 'tasks/task-create.ts'],
  ['BashRouter', 'shell/router/bash-router.ts'],
  ['agent-shell setup', 'harness/setup/setup.ts'],
  ['the viewer', 'viewer/viewer.ts'],
  ['settings', 'base/settings/settings.ts'],
])('a newcomer who reads about %s in the README finds %s by its name', (feature, file) => {
  expect(README).toContain(feature);
  const lastWord = /[A-Za-z]+$/.exec(feature)?.[0] ?? '';
  const fileName = lastWord.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
  // Executables start in bin/, under the same names.
  const found = sources.filter(({ part }) => part !== 'bin').map(({ name }) => name);
  expect(found.filter((name) => basename(name) === `${fileName}.ts`)).toEqual([join(file)]);
});
