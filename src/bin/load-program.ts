// The start of every executable: tests Node's version, then runs the program, with V8's code cache from an earlier run. It must
// parse on any Node since 12.

import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute } from 'node:path';
import { Script } from 'node:vm';
import { unsupportedRuntime } from './node-version.ts';

/** A script that esbuild has bundled, and the id of its build. */
interface Bundle {
  readonly file: string;
  readonly build: string;
}

/** The program of this executable, or of it with its first argument. Filled in by scripts/build.js. */
declare const PROGRAMS: Readonly<Record<string, Bundle>>;

const PARAMETERS = 'exports, require, module, __filename, __dirname, EXECUTABLE';
// The build writes the whole table in place of each use of PROGRAMS.
const programs = PROGRAMS;
const programName = basename(__filename, '.cjs');
const whyUnsupported = unsupportedRuntime(process.versions);
if (whyUnsupported) refuse(whyUnsupported);

startProgram(programs[`${programName} ${process.argv[2]}`] || programs[programName], module);

function refuse(why: string): never {
  // A failure must not disturb the harness.
  if (process.argv[2] === 'hook') process.exit(0);
  process.stderr.write(`${programName}: ${why}\n`);
  process.exit(1);
}

// As a COPY in a Dockerfile makes of npm's link.
function refuseCopy(): never {
  refuse(
    `${__filename} is a copy without its program: install the package, or make a link to its executable`,
  );
}

function programText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') refuseCopy();
    throw error;
  }
}

function startProgram(bundle: Bundle | undefined, own: { exports: unknown }): void {
  const { file, build } = bundle ?? refuseCopy();
  // To normalize a path takes Node as long as to read a file.
  const path = `${__dirname}/${file}`;
  const folder = dirname(path);
  // V8 keeps only what has run: on each engine that is other code.
  const [engine = 'files'] = /^(?:etcd|postgres)/.exec(process.env.TODO_STATE_URL || '') || [];
  const kept = `${basename(file, '.cjs')}-${programName}-${engine}-${build}-${process.version}-${process.arch}.compiled`;
  const keptFiles: KeptFiles = [
    () => `${folder}/${kept}`,
    (make) => `${cacheFolder(make)}/${kept}`,
  ];
  const source = `(function (${PARAMETERS}) {${programText(path)}\n})`;
  const found = compiledBefore(keptFiles);
  // V8 keeps the file's name: a full path would tie the cached code to this folder.
  const script = new Script(source, { filename: 'program.cjs', cachedData: found?.data });
  script.runInThisContext()(own.exports, require, own, path, folder, programName);
  const isUsed = found !== undefined && !script.cachedDataRejected;
  if (isUsed && found.isFinal) return;
  const files = isUsed ? [() => found.path] : keptFiles;
  process.once('exit', (exitCode) => keepCompiled(script, files, exitCode, isUsed));
}

/** Files for compiled code, whose folder is made if need be. The functions may throw. */
type KeptFiles = readonly ((make: boolean) => string)[];

function compiledBefore(keptFiles: KeptFiles) {
  for (const kept of keptFiles) {
    try {
      return ownContentOf(kept(false));
    } catch {
      // It does not exist, or belongs to another user.
    }
  }
  return undefined;
}

/** Throws if another user could have written the file, since its code is run. */
function ownContentOf(path: string) {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    const { uid, mode, size } = stats;
    // Another user may have linked to a file of ours.
    if (!isOwnFile(stats) || !stats.isFile() || stats.nlink !== 1)
      throw new Error(`${path} is not ours`);
    // readFileSync would load more of Node.
    const bytes = Buffer.allocUnsafeSlow(size);
    let length = 0;
    while (length < size) {
      const read = readSync(descriptor, bytes, length, size - length, length);
      if (read === 0) throw new Error(`${path} has become shorter`);
      length += read;
    }
    return { path, data: bytes, isFinal: uid !== process.getuid?.() || (mode & 0o200) === 0 };
  } finally {
    closeSync(descriptor);
  }
}

function isOwnFile({ uid, mode }: Stats): boolean {
  return (uid === process.getuid?.() || uid === 0) && (mode & 0o022) === 0;
}

/**
 * Keeps what V8 has compiled, except of a run that only printed its help, which compiled little.
 *
 * @param isFinal true for the second run of a user, which adds what the first did not need, such as reading a list. The file's
 *   mode keeps later runs from trying again.
 */
function keepCompiled(script: Script, files: KeptFiles, exitCode: number, isFinal: boolean): void {
  if (exitCode !== 0 || process.argv.some((argument) => /^(-h|--help|--version)$/.test(argument)))
    return;
  for (const file of files) {
    try {
      const kept = file(true);
      // First, since a read-only file system refuses it at each run.
      if (isFinal) chmodSync(kept, 0o444);
      const data = script.createCachedData();
      const unfinished = `${kept}.${process.pid}`;
      writeFileSync(unfinished, data, { mode: isFinal ? 0o444 : 0o644, flag: 'wx' });
      renameSync(unfinished, kept);
      return;
    } catch {
      // This folder cannot be written to.
    }
  }
}

/** Throws if the folder is not ours, as in a shared cache. */
function cacheFolder(make: boolean): string {
  const { HOME = '', XDG_CACHE_HOME = '' } = process.env;
  // A relative path leads to a repository's files. The XDG specification says to ignore it, too.
  const parent = isAbsolute(XDG_CACHE_HOME)
    ? XDG_CACHE_HOME
    : `${isAbsolute(HOME) ? HOME : require('node:os').userInfo().homedir}/.cache`;
  const folder = `${parent}/todowrite`;
  // One level at a time: in some folders, such as /proc, Node's recursive mkdir never returns.
  for (const each of make ? [parent, folder] : []) {
    try {
      mkdirSync(each, { mode: 0o700 });
    } catch {
      // It exists, or cannot be made.
    }
  }
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || !isOwnFile(stats)) throw new Error(`${folder} is not ours`);
  return folder;
}
