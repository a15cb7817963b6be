// Part of `npm run lint`: how much there is to read. package.json has the most that each count may be; a commit that raises
// one says why; `--counts` lists what was counted. It also finds exports that nobody imports.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (name) => readFileSync(join(root, name), 'utf8');
const filesOf = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));

const files = filesOf('src').map((name) => ({ name, text: read(name) }));
const lines = ({ text }) => text.split('\n').length - 1;
const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
const sources = files.filter(({ name }) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'));

/** The names that are declared at the top level of more than one file: one word for two things, or two words for one. */
function declaredTwice() {
  const declared =
    /^(?:export )?(?:abstract |async |declare )*(?:function\*?|const|let|class|enum|interface|type) ([\w$]+)/gm;
  const places = new Map();
  for (const { name, text } of sources) {
    for (const [, word] of text.matchAll(declared)) {
      places.set(word, (places.get(word) ?? new Set()).add(name));
    }
  }
  return [...places].filter(([, names]) => names.size > 1);
}

/** The files of more than 60 lines whose test, if any, stands elsewhere. */
function withoutTest() {
  const tests = new Set(filesOf('tests'));
  const testOf = (name, kind) => name.replace(/^src/, 'tests').replace(/\.tsx?$/, `.${kind}.ts`);
  const hasTest = (name) => ['test', 'browser'].some((kind) => tests.has(testOf(name, kind)));
  return sources.filter((file) => lines(file) > 60 && !hasTest(file.name));
}

/** `shell > base` for each door of src/ that enters another. */
function pairsOfDoors() {
  const pairs = new Set();
  for (const { name, text } of sources) {
    const [, door] = name.split('/');
    for (const [, path] of text.matchAll(/(?:from|import\()\s*'(\.[^'?]+)/g)) {
      const [, other] = join(dirname(name), path).split('/');
      const isSurface = [name, other].some((each) => each.endsWith('index.ts'));
      if (door !== other && !isSurface) pairs.add(`${door} > ${other}`);
    }
  }
  return pairs;
}

const counts = {
  'lines of src': total(files.map(lines)),
  'files of src': files.length,
  'lines of the longest file': Math.max(...files.map(lines)),
  'words of docs': total(
    filesOf('docs').map((name) => (name.endsWith('.md') ? read(name).split(/\s+/).length - 1 : 0)),
  ),
  'lines of tests': total(filesOf('tests').map((name) => lines({ text: read(name) }))),
  'names declared twice': declaredTwice().length,
  'files over 60 lines without a test beside them': withoutTest().length,
  'pairs of doors': pairsOfDoors().size,
  'import lines': total(files.map(({ text }) => text.match(/^(?:import|\} from) /gm)?.length ?? 0)),
};

const problems = Object.entries(JSON.parse(read('package.json')).budget)
  .filter(([what, most]) => counts[what] > most)
  .map(([what, most]) => `${counts[what]} ${what}, and package.json allows ${most}`);

// Types are left out: a signature needs its own. Tests and scripts count as users.
const users = [
  ...files,
  ...[...filesOf('tests'), ...filesOf('scripts')].map((name) => ({ name, text: read(name) })),
];
const words = new Map(users.map(({ name, text }) => [name, new Set(text.match(/[\w$]+/g))]));
const declaration = /^export (?:abstract |async )?(?:function\*?|const|let|class|enum) ([\w$]+)/gm;
for (const { name, text } of files.filter((file) => /\.tsx?$/.test(file.name))) {
  for (const [, exported] of text.matchAll(declaration)) {
    const isUsed = users.some((user) => user.name !== name && words.get(user.name).has(exported));
    if (!isUsed) problems.push(`${name} exports ${exported}, which no other file uses`);
  }
}

if (process.argv.includes('--counts')) {
  for (const [word, names] of declaredTwice()) console.log(word, ...names);
  for (const { name } of withoutTest()) console.log(`${name} has no test beside it`);
  console.log([...pairsOfDoors()].sort().join('\n'));
  console.log(counts);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
