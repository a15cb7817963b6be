// The start of every executable. It must parse on any Node since 12, and runs the program, which needs a newer one.
// It keeps the code that V8 compiled in the first run of a program, so that later runs start faster.

import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { unsupportedRuntime } from './node-version.ts';

/**
 * The program of each executable, or of an executable with its first argument, and the id of its build. Filled in by
 * scripts/build.js.
 */
declare const PROGRAMS: Readonly<Record<string, { file: string; build: string }>>;

const name = basename(__filename, '.cjs');
const unsupported = unsupportedRuntime(process.versions);
if (unsupported) {
  // Whatever goes wrong, a hook must not disturb its coding agent.
  if (process.argv[2] === 'hook') process.exit(0);
  process.stderr.write(`${name}: ${unsupported}\n`);
  process.exit(1);
}

const withWord = `${name} ${process.argv[2]}`;
const { file, build } = (PROGRAMS[withWord] || PROGRAMS[name]) as { file: string; build: string };
const program = join(__dirname, file);
const keptName = `${basename(file, '.cjs')}-${name}-${build}-${process.version}-${process.arch}.compiled`;
// Beside the program, or else in a folder that only this user writes to.
const keptFiles = [
  () => join(dirname(program), keptName),
  () => join(cacheFolder(), 'todowrite', keptName),
];

const parameters = 'exports, require, module, __filename, __dirname, EXECUTABLE';
const source = `(function (${parameters}) {${readFileSync(program, 'utf8')}\n})`;
const cachedData = compiledBefore();
// V8 keeps the file's name, and a full path would tie the kept code to this folder.
const script = new Script(source, { filename: 'program.cjs', ...(cachedData && { cachedData }) });
const load = (id: string) => require(id.startsWith('.') ? join(dirname(program), id) : id);
script.runInThisContext()(exports, load, module, program, dirname(program), name);
if (cachedData === undefined || script.cachedDataRejected) process.once('exit', keepCompiled);

function compiledBefore(): Buffer | undefined {
  for (const kept of keptFiles) {
    try {
      return ownContentOf(kept());
    } catch {
      // Not there, or not ours to read.
    }
  }
  return undefined;
}

/** Code is run from this file, so it only counts if no other user can have written it. */
function ownContentOf(path: string): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const { uid, mode, size } = fstatSync(descriptor);
    const isOurs = uid === process.getuid?.() || uid === 0;
    if (!isOurs || (mode & 0o022) !== 0) throw new Error(`${path} is not ours`);
    // What readFileSync gives, with less of Node to load for it.
    const bytes = Buffer.allocUnsafeSlow(size);
    let length = 0;
    while (length < size) {
      const read = readSync(descriptor, bytes, length, size - length, length);
      if (read === 0) throw new Error(`${path} has become shorter`);
      length += read;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** Only after a run that did its work: one that printed its help has compiled hardly anything. */
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
      // This folder cannot be written to.
    }
  }
}

/** Throws if there is no home folder. */
function cacheFolder(): string {
  const { HOME, XDG_CACHE_HOME = '' } = process.env;
  // Its specification says to ignore a relative one.
  if (isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  // Loaded here, since hardly any run needs it.
  const { userInfo }: typeof import('node:os') = require('node:os');
  return join(HOME || userInfo().homedir, '.cache');
}

/** One level only: in some folders, such as /proc, Node loops for ever when it makes all levels. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
