import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

// The promises of docs/architecture.md: which door may enter which, and which things are passed in.

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

/** The doors of src/, from the ground up: what lives in each, as docs/architecture.md says, and those that it may enter. */
const DOORS: Record<string, { readonly holds?: string; readonly enters: string }> = {
  base: {
    holds:
      'the ground: the operating system, shell words, JSON, the contract of an agent command, settings, running a check, safe text',
    enters: '',
  },
  lists: {
    holds:
      'a versioned document in memory or files: its place, name, history and followers; programs hand in the client of servers',
    enters: 'base',
  },
  servers: { holds: 'the same documents on etcd and PostgreSQL', enters: 'base lists' },
  todo: {
    holds: "one agent's list: TodoWrite, TodoRead, the strict schema, a person's changes",
    enters: 'base lists',
  },
  tasks: {
    holds: "a team's tasks: claims, dependencies, leases, inbox, hooks",
    enters: 'base lists',
  },
  screen: {
    holds: 'terminals, which know no list (terminal/), and lists as rows (panel/)',
    enters: 'base todo tasks',
  },
  guidance: { holds: 'notes and reminders for the model', enters: 'base todo tasks' },
  shell: {
    holds: 'one persistent bash (bash/), and which way a line goes and who is asked (router/)',
    enters: 'base todo screen guidance',
  },
  viewer: {
    holds: 'the screen and the page (page/) where a person watches and works',
    enters: 'base lists todo tasks screen',
  },
  harness: {
    holds: "other people's coding agents: what setup writes for them, what the hook tells them",
    enters: 'base lists todo tasks guidance',
  },
  prompt: { holds: "the panel in a person's own bash", enters: 'base todo tasks screen guidance' },
  cli: {
    holds: "agent-shell's subcommands; JSON lines",
    enters: 'base lists todo tasks shell viewer harness',
  },
  bin: {
    holds: 'one small file for each kind of executable',
    enters: 'base servers todo tasks screen guidance shell viewer harness prompt cli index.ts',
  },
  'index.ts': { enters: 'base lists todo tasks screen guidance shell' },
};
const entered = (door: string) => DOORS[door]?.enters.split(' ') ?? [];
/** They bring the others together: here the environment, streams and the clock are reached for. */
const OUTER = ['viewer', 'prompt', 'cli', 'bin', 'index.ts'];
/** A library's defaults have to come from somewhere; how old a file is, the machine's clock says. */
const MAY_REACH = [
  /bash-router\.ts: process\.(env|cwd)$/,
  /(watch-folder|private-folder|slots)\.ts: Date\.now$/,
];

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
    /(?:import|export)\s+(type\s)?[^;'"]*?from\s*'(\.[^']+|todowrite)'|import\s*\(?\s*'(\.[^']+|todowrite)'/g;
  const imports = [...code.matchAll(statements)].map(([, type, from, bare]) => {
    const [path = ''] = (from ?? bare ?? '').split('?');
    // By its own name, the package is its index.ts.
    const file = path === 'todowrite' ? 'index.ts' : relative(SRC, join(SRC, dirname(name), path));
    return { file, part: partOf(file), isType: type !== undefined };
  });
  return { name, part: partOf(name), code, imports };
}

function partOf(name: string): string {
  return name.split(sep)[0] ?? '';
}

const below = sources.filter(({ part }) => !OUTER.includes(part));

test('each door enters those that it may, and no other', () => {
  const wrong = sources.flatMap(({ name, part, imports }) =>
    imports
      .filter((imported) => ![part, ...entered(part)].includes(imported.part))
      .map((imported) => `${name} imports ${imported.part}`),
  );
  expect(wrong).toEqual([]);
  const pairs = new Set(
    sources.flatMap(({ part, imports }) => imports.map((imported) => `${part} ${imported.part}`)),
  );
  const doors = Object.keys(DOORS);
  const unused = doors.flatMap((door) =>
    entered(door).filter((other) => other !== '' && !pairs.has(`${door} ${other}`)),
  );
  expect(unused).toEqual([]);
});

test('docs/architecture.md lists the doors in their order, with the same words: each enters those above it', () => {
  const page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
  const [tree = ''] = /^src\/\n(?: .*\n)+/m.exec(page) ?? [];
  const listed = [...tree.matchAll(/^ {2}(\w+)\/ +(.*)$/gm)].map(([, name = '', holds]) => [
    name,
    holds,
  ]);
  const doors = Object.keys(DOORS).filter((name) => !name.includes('.'));
  expect(listed).toEqual(doors.map((name) => [name, DOORS[name]?.holds]));
  const wrong = doors.flatMap((door, at) =>
    entered(door).filter((other) => doors.indexOf(other) >= at),
  );
  expect(wrong).toEqual([]);
});

/** True if a door leads to another by way of a third. */
function isRoundabout(from: string, to: string): boolean {
  const leads = (door: string): boolean => door === to || entered(door).some(leads);
  return entered(from).some((door) => door !== to && leads(door));
}

test('the picture in docs/architecture.md has an arrow for each door that another may enter', () => {
  const page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
  const [, picture = ''] = /^```mermaid\nflowchart TD\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const drawn = picture.split('\n').flatMap((line) => {
    const [from = [], to = []] = line.split('-->').map((names) => names.trim().split(' & '));
    return from.flatMap((door) => to.map((other) => `${door} --> ${other}`));
  });
  const doors = Object.keys(DOORS).filter((name) => !name.includes('.'));
  const arrows = doors.flatMap((door) =>
    entered(door)
      .filter((other) => doors.includes(other))
      .filter((other) => (door !== 'bin' && other !== 'base') || !isRoundabout(door, other))
      .map((other) => `${door} --> ${other}`),
  );
  expect(drawn.sort()).toEqual(arrows.sort());
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

test('in the inner doors nothing prints, ends the program or reaches for its environment or clock', () => {
  const reaching = below.flatMap(({ name, code }) => {
    const found = code.match(
      /\bconsole\.\w+|\bprocess\.(stdin|stdout|stderr|exit|exitCode|argv|env|cwd)\b|= process;|'(node:)?process'|(?<!\) => )(\bDate\.now\b|\bnew Date\(\))/g,
    );
    return (found ?? []).map((what) => `${name}: ${what}`);
  });
  const allowed = (found: string) => MAY_REACH.some((what) => what.test(found));
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
