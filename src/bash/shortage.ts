/**
 * What to allow more of, or to install, if that is why something failed.
 *
 * @param folder where it has to be written, if there is no choice.
 */
export function shortage(error: unknown, folder?: string): string | undefined {
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
  if (folder && (code === 'ENOSPC' || code === 'EDQUOT'))
    return `no space is left in ${folder}: make room there`;
  return undefined;
}
