import { readdirSync, readFileSync } from 'node:fs';

// Bash keeps its own descriptors from 10 up and at 255, or else as high as it can; users take the low ones.
const HIGHEST = 252;
const OPEN_FILES = /^Max open files +(\d+)/m;
const CLOSED_ON_EXEC = 0o2000000;

/** A descriptor for bash's reports that neither bash nor a user takes, below the limit of open files. */
export function statusDescriptor(): number {
  const [, limit = '1024'] = OPEN_FILES.exec(read('/proc/self/limits')) ?? [];
  return Math.min(HIGHEST, Number(limit) - 4);
}

let leaked: readonly number[] | undefined;

/**
 * Descriptors that this process was started with and that its children would inherit by accident. Node closes only
 * consecutive ones; those of another bash, such as 63 of its `>(...)`, would reach a bash that knows nothing of them. A line
 * that writes to all its descriptors would then die of a pipe that nobody reads.
 */
export function leakedDescriptors(): readonly number[] {
  leaked ??= list('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && !isClosedOnExec(fd));
  return leaked;
}

/** What to allow more of, or to install, if that is why something failed. */
export function shortage(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE') {
    return 'too many files are open: allow more, as with ulimit -n 256';
  }
  if (code === 'EAGAIN' && syscall?.startsWith('spawn')) {
    return 'too many processes run: allow more, as with ulimit -u 256';
  }
  if (code === 'ENOENT' && syscall?.startsWith('spawnSync')) {
    return 'install mkfifo, a part of coreutils, or put it on PATH';
  }
  if (code === 'EFBIG')
    return 'files may not be large enough: allow more, as with ulimit -f unlimited';
  return undefined;
}

function isClosedOnExec(fd: number): boolean {
  const [, flags] = /^flags:\s*([0-7]+)/m.exec(read(`/proc/self/fdinfo/${fd}`)) ?? [];
  return flags === undefined || (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) !== 0;
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // not on Linux
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
