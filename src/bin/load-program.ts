// The start of every executable. It must parse on any Node since 12, and runs the program, which is made for newer ones.
// What V8 compiles of a program in its first run is kept, so that later runs need not compile it again.

import type { Stats } from 'node:fs';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { unsupportedRuntime } from './node-version.ts';

/**
 * The program of each executable, or of it with its first argument, and what tells one build of it from another. Put in
 * by the build.
 */
declare const PROGRAMS: Readonly<Record<string, { file: string; build: string }>>;

const name = basename(__filename, '.cjs');
const unsupported = unsupportedRuntime(process.versions);
if (unsupported) {
  // Whatever goes wrong, a hook must not bother its coding agent.
  if (process.argv[2] === 'hook') process.exit(0);
  process.stderr.write(`${name}: ${unsupported}\n`);
  process.exit(1);
}

const withWord = `${name} ${process.argv[2]}`;
const { file, build } = (PROGRAMS[withWord] || PROGRAMS[name]) as { file: string; build: string };
const program = join(__dirname, file);
const keptName = `${basename(file, '.cjs')}-${name}-${build}-${process.version}-${process.arch}.compiled`;
// Beside the program, else where only this user writes.
const keptFiles = [
  () => join(dirname(program), keptName),
  () => join(cacheFolder(), 'todowrite', keptName),
];

const parameters = 'exports, require, module, __filename, __dirname, EXECUTABLE';
const source = `(function (${parameters}) {${contentOf(program).toString('latin1')}\n})`;
const cachedData = compiledBefore();
// The file's name goes into what is kept, and a whole path would tie it to this place.
const script = new Script(source, { filename: 'program.cjs', ...(cachedData && { cachedData }) });
const load = (id: string) => require(id.startsWith('.') ? join(dirname(program), id) : id);
script.runInThisContext()(exports, load, module, program, dirname(program), name);
if (cachedData === undefined || script.cachedDataRejected) process.once('exit', keepCompiled);

/** Code is run from it: it counts only if no other user can have written it. */
function compiledBefore(): Buffer | undefined {
  for (const kept of keptFiles) {
    try {
      return contentOf(kept(), ({ uid, mode }) => {
        const isOurs = uid === process.getuid?.() || uid === 0;
        if (!isOurs || (mode & 0o022) !== 0) throw new Error('not ours');
      });
    } catch {
      // Not there, or not ours to read.
    }
  }
  return undefined;
}

/** What readFileSync gives, with less of Node to load for it. */
function contentOf(path: string, check?: (stat: Stats) => void): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const stat = fstatSync(descriptor);
    if (check) check(stat);
    const bytes = Buffer.allocUnsafeSlow(stat.size);
    let length = 0;
    while (length < stat.size) {
      const read = readSync(descriptor, bytes, length, stat.size - length, length);
      if (read === 0) throw new Error(`${path} has become shorter`);
      length += read;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** After a run that did what the command is for: one that printed its help has hardly compiled anything. */
function keepCompiled(exitCode: number): void {
  if (exitCode !== 0 || process.argv.some((argument) => /^(-h|--help|--version)$/.test(argument)))
    return;
  const data = script.createCachedData();
  for (const keptFile of keptFiles) {
    try {
      const kept = keptFile();
      makeFolder(dirname(dirname(kept)));
      makeFolder(dirname(kept));
      const unfinished = `${kept}.${process.pid}`;
      writeFileSync(unfinished, data, { mode: 0o644, flag: 'wx' });
      renameSync(unfinished, kept);
      return;
    } catch {
      // A folder that cannot be written to.
    }
  }
}

/** Throws where nobody knows whose home it would be in. */
function cacheFolder(): string {
  const { HOME, XDG_CACHE_HOME = '' } = process.env;
  // Its specification says to pass over a relative one.
  if (isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  // Loaded here, since hardly any run comes to need it.
  const { userInfo }: typeof import('node:os') = require('node:os');
  return join(HOME || userInfo().homedir, '.cache');
}

/** One level only: in some folders, as /proc is one, Node tries for ever to make all levels. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
