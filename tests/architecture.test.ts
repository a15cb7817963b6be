import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

// The promises of docs/architecture.md: which part may import which, and which things are passed in.

const SRC = join(import.meta.dirname, '..', 'src');

/** The parts that every part may import. */
const COMMON = ['environment.ts', 'safe-text.ts', 'system'];
/** The other parts that each part may import. A part is a folder of src/, or a file in src/. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  command: ['state'],
  json: ['command', 'line'],
  line: [],
  state: [],
  settings: ['state'],
  proof: ['command', 'line'],
  bash: ['command', 'line'],
  terminal: [],
  todo: ['command', 'json', 'proof', 'settings', 'state'],
  tasks: ['command', 'json', 'proof', 'settings', 'state'],
  panel: ['command', 'proof', 'tasks', 'terminal', 'todo'],
  guidance: ['command', 'line', 'proof', 'settings', 'tasks', 'todo'],
  hook: ['command', 'guidance', 'settings', 'state', 'tasks', 'todo'],
  setup: ['command', 'hook', 'settings', 'state'],
  router: [
    ...['bash', 'command', 'guidance', 'json', 'line', 'panel', 'proof', 'settings', 'terminal'],
    'todo',
  ],
};
/** They bring the parts together. */
const MAY_IMPORT_ALL = ['bin', 'shell', 'watch', 'index.ts'];
/** A library's defaults have to come from somewhere. */
const MAY_REACH_FOR_ENVIRONMENT = ['router/bash-router.ts'];

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
    const file = relative(SRC, join(SRC, dirname(name), from ?? bare ?? ''));
    return { file, part: partOf(file), isType: type !== undefined };
  });
  return { name, part: partOf(name), code, imports };
}

function partOf(name: string): string {
  return name.split(sep)[0] ?? '';
}

const below = sources.filter(({ part }) => !MAY_IMPORT_ALL.includes(part));

test('each part imports only what it may', () => {
  const wrong = below.flatMap(({ name, part, imports }) =>
    imports
      .filter((imported) => ![part, ...COMMON, ...(MAY_IMPORT[part] ?? [])].includes(imported.part))
      .map((imported) => `${name} imports ${imported.part}`),
  );
  expect(wrong).toEqual([]);
});

test('docs/architecture.md lists the parts in their order: each imports from those above it', () => {
  const page = readFileSync(join(SRC, '..', 'docs', 'architecture.md'), 'utf8');
  const [tree = ''] = /^src\/\n(?: .*\n)+/m.exec(page) ?? [];
  const order = [...tree.matchAll(/^ {2}(\w+)\//gm)].map(([, name = '']) => name);
  const folders = new Set(sources.map(({ part }) => part).filter((part) => !part.includes('.')));
  expect(new Set(order)).toEqual(folders);
  const wrong = sources.flatMap(({ name, part, imports }) =>
    imports
      .filter((imported) => order.indexOf(imported.part) > order.indexOf(part))
      .filter(() => order.includes(part))
      .map((imported) => `${name} imports ${imported.part}`),
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

test('below bin/, shell/ and watch/ nothing prints, ends the program or reaches for its environment', () => {
  const reaching = below.flatMap(({ name, code }) => {
    const found = code.match(
      /\bconsole\.\w+|\bprocess\.(stdin|stdout|stderr|exit|exitCode|argv|env|cwd)\b/g,
    );
    return (found ?? []).map((what) => `${name}: ${what}`);
  });
  const allowed = MAY_REACH_FOR_ENVIRONMENT.flatMap((name) => [
    `${name}: process.env`,
    `${name}: process.cwd`,
  ]);
  expect(reaching.filter((found) => !allowed.includes(found))).toEqual([]);
});

test('the panel knows of the lists only their types, and which item is which', () => {
  const values = sources
    .filter(({ part }) => part === 'panel')
    .flatMap(({ imports }) =>
      imports.filter(({ part, isType }) => ['tasks', 'todo'].includes(part) && !isType),
    );
  expect(new Set(values.map(({ file }) => file))).toEqual(new Set([join('todo', 'pair-items.ts')]));
});

test('one place writes the word that notes begin with', () => {
  const writers = sources.filter(({ code }) => code.includes('Note: '));
  expect(writers.map(({ name }) => name)).toEqual([join('command', 'replies.ts')]);
});

const README = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');

test.each([
  ['TodoWrite', 'todo/todo-write.ts'],
  ['TaskCreate', 'tasks/task-create.ts'],
  ['BashRouter', 'router/bash-router.ts'],
  ['agent-shell setup', 'setup/setup.ts'],
  ['the viewer', 'watch/viewer.ts'],
  ['settings', 'settings/settings.ts'],
])('a newcomer who reads about %s in the README finds %s by its name', (feature, file) => {
  expect(README).toContain(feature);
  const lastWord = /[A-Za-z]+$/.exec(feature)?.[0] ?? '';
  const fileName = lastWord.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
  // Executables start in bin/, under the same names.
  const found = sources.filter(({ part }) => part !== 'bin').map(({ name }) => name);
  expect(found.filter((name) => basename(name) === `${fileName}.ts`)).toEqual([join(file)]);
});
