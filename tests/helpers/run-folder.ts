import { spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM = 1024 ** 3;

/**
 * Kills what is left of a run, and removes its folder. The folder is not among its arguments, since it kills processes that
 * name it.
 */
const GUARD = `
trap '' INT TERM HUP
IFS= read -r folder
read -r _ # until the runner has ended, however that came
left() {
  if [ -d /proc/self ]; then
    grep -lsaF -f <(echo "$folder") /proc/[0-9]*/{cmdline,environ} | cut -d/ -f3 | sort -u
  else
    pgrep -f "$folder"
  fi
}
kill -INT $(left) # PostgreSQL and etcd end by it in good order
for round in {1..10}; do [ -z "$(left)" ] && break; sleep 0.2; done
# Again and again: one of them may have started another one meanwhile.
for round in {1..100}; do
  pids=$(left)
  [ -n "$pids" ] || break
  kill -KILL $pids
  sleep 0.1
done
also=$(cat "$folder/also")
rm -rf -- "$folder" "\${also:-$folder}"
`;

/**
 * The folder for all files of this run. It is TMPDIR of all processes, by which a guard beside the runner finds them: it
 * waits for the runner's end, kills what is left, and removes the folder.
 */
export function runFolder(): string {
  const { TEST_FOLDER } = process.env;
  const prefix = `todowrite-${process.pid}-`;
  // Vitest reads its configuration once for each project.
  if (TEST_FOLDER && basename(TEST_FOLDER).startsWith(prefix)) return TEST_FOLDER;
  const folder = mkdtempSync(join(temporaryFolder(), prefix));
  // Servers run as other users.
  chmodSync(folder, 0o755);
  // --norc: bash takes a socket as its input, without SHLVL, for a remote shell, which reads ~/.bashrc.
  const guard = spawn('bash', ['--norc', '-c', GUARD], {
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.stdin.on('error', () => {});
  guard.stdin.write(`${folder}\n`);
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  process.env.TEST_FOLDER = folder;
  return folder;
}

/**
 * The folder for tests' files: in memory, if that has room and allows programs. They create thousands of folders; on a disk
 * that took a third of the suite's time. TMPDIR names another place.
 */
function temporaryFolder(): string {
  return process.env.TMPDIR ?? (isFit(MEMORY) ? MEMORY : tmpdir());
}

function isFit(folder: string): boolean {
  let own: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(folder);
    own = mkdtempSync(join(folder, 'todowrite-test-'));
    const program = join(own, 'program');
    writeFileSync(program, '', { mode: 0o755 });
    accessSync(program, constants.X_OK);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  } finally {
    if (own) rmSync(own, { recursive: true });
  }
}
