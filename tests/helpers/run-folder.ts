import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

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
for round in {1..20}; do [ -z "$(left)" ] && break; sleep 0.1; done
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
  const guard = spawn('bash', ['-c', GUARD], {
    cwd: '/',
    env: { PATH: process.env.PATH },
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
