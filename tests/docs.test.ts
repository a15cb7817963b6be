import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { objectJson, shortText } from '../src/base/json/fields.ts';
import { HARNESS_NAMES } from '../src/harness/setup/harnesses.ts';
import { TODO_FIELDS } from '../src/todo/todo-fields.ts';
import { testExamples, testTypes } from './helpers/examples.ts';
import { cleanEnvironment, executable, run } from './helpers/executables.ts';
import { listFiles, temporaryDirectory } from './helpers/files.ts';
import { hasTmux, TmuxTerminal } from './helpers/tmux.ts';
import { json, todo } from './todo/call.ts';

const ROOT = join(import.meta.dirname, '..');

const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name))
  .sort();

for (const page of pages) testExamples(page);
testTypes(['README.md', ...pages], 'examples');

test('docs/harnesses.md has the table that npm run harnesses prints, with all that setup knows', async () => {
  const { askedTable, harnessTable, TABLE_NAMES } = await import(
    join(ROOT, 'scripts/harnesses/table.js')
  );
  const page = readFileSync(join(ROOT, 'docs', 'harnesses.md'), 'utf8');
  expect(page).toContain(`\n${harnessTable()}\n`);
  expect(page).toContain(`\n${askedTable()}\n`);
  expect([...TABLE_NAMES].sort()).toEqual([...HARNESS_NAMES].sort());
});

test.runIf(hasTmux)(
  'the status line for tmux shows the list of a folder with any name, and runs no part of the name',
  async () => {
    const page = readFileSync(join(ROOT, 'docs', 'harnesses.md'), 'utf8');
    const folder = join(temporaryDirectory(), 'my app;touch run');
    mkdirSync(folder);
    const settings = join(temporaryDirectory(), 'tmux.conf');
    const [, recipe = ''] = /`(set -g status-right .*)`/.exec(page) ?? [];
    writeFileSync(settings, `set -g status-interval 1\nset -g status-right-length 50\n${recipe}\n`);
    const env = cleanEnvironment({ TODO_STATE_DIR: temporaryDirectory(), TMUX: '' });
    run('todo-write', [json(todo('Fix login'))], { cwd: folder, env });
    const server = `${dirname(settings)}/server`;
    onTestFinished(() => void spawnSync('tmux', ['-S', server, 'kill-server']));
    const PATH = `${dirname(executable('todo-read'))}:${env.PATH}`;
    const variables = Object.entries({ ...env, PATH }).map(([name, value]) => `${name}='${value}'`);
    const line = `env ${variables.join(' ')} tmux -S ${server} -f ${settings} new-session sh`;
    const terminal = new TmuxTerminal(line, { cwd: folder, columns: 100 });
    await terminal.until('the list', (screen) => screen.endsWith('0/1 next: Fix login'));
    expect(listFiles(folder)).toEqual([]);
  },
);

const EXAMPLES = readdirSync(join(ROOT, 'examples')).map((name) => join('examples', name));

test.each(['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', ...pages, ...EXAMPLES])(
  '%s installs this package from a checkout or a packed file: it is in no registry',
  (page) => {
    const lines = readFileSync(join(ROOT, page), 'utf8').match(/npm (?:i|install)\b.*/g) ?? [];
    expect(lines.filter((line) => /\stodowrite(?:\s|$)/.test(line))).toEqual([]);
  },
);

test('the row of the first change in CONTRIBUTING.md is a field as it says', () => {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const [, row = ''] = /^ {3}```ts\n([\s\S]*?)^ {3}```$/m.exec(page) ?? [];
  const { due } = new Function('shortText', `return {${row}}`)(shortText);
  const wrong = 'Expected a date: 2026-01-31';
  expect(page).toContain(wrong);
  const problems = ['2028-02-29', '2027-02-29', '2027-2-1', 'soon'].map(due.kind.problem);
  expect(problems).toEqual([undefined, wrong, wrong, wrong]);
  const schema = objectJson({ ...TODO_FIELDS, due }, { maxContentLength: 200 });
  const date = { type: 'string', format: 'date', description: due.hint };
  expect(schema).toMatchObject({ properties: { due: date } });
});

const FILES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });

test.each(['CONTRIBUTING.md', 'SECURITY.md', ...pages])(
  'the files that %s names are there',
  (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const named = [...text.matchAll(/`((?:src|tests|scripts|docs|examples)\/[\w./-]+\.\w+)`/g)];
    const missing = named
      .map(([, name = '']) => name)
      .filter((name) => !existsSync(join(ROOT, name)));
    const parts = page === 'docs/architecture.md' ? partsNamed(text) : [];
    expect([...missing, ...parts.filter((name) => !FILES.includes(name))]).toEqual([]);
  },
);

/** The folders and files of src/ that the page draws, and those that its walks pass. */
function partsNamed(text: string): string[] {
  const [tree = ''] = /^src\/\n(?: .*\n)+/m.exec(text) ?? [];
  const drawn = [...tree.matchAll(/^ {2}(\S+?)\/? {2}/gm)];
  const passed = [...text.matchAll(/`((?!src\/|tests\/)[\w-]+\/[\w./-]+\.\w+)`/g)];
  return [...drawn, ...passed].map(([, name = '']) => name);
}

const ALL_PAGES = [...readdirSync(ROOT).filter((name) => name.endsWith('.md')), ...pages];

/** A page without its examples. */
const prose = (page: string) =>
  readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** The headings of a page, as GitHub names them in links. */
const anchorsOf = (page: string) =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );

test.each(ALL_PAGES)('each link of %s leads to a file and a heading that are there', (page) => {
  const links = [...prose(page).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)];
  const broken = links.filter(([, link = '']) => {
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? page : normalize(join(dirname(page), path));
    const isThere = existsSync(join(ROOT, file));
    return !isThere || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});
