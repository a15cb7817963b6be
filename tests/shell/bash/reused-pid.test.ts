import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { AGENT_SHELL } from '../../helpers/agent-shell.ts';
import { cleanEnvironment } from '../../helpers/executables.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { isHere } from '../../helpers/machine.ts';

// In a namespace of its own, the next process id can be chosen.

const IN_NAMESPACE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const CHOOSE = ['sh', '-c', 'echo 99 > /proc/sys/kernel/ns_last_pid'];
const canChoose = isHere(
  'the right to choose process ids',
  spawnSync('unshare', [...IN_NAMESPACE, ...CHOOSE]).status === 0,
);

/** Kills the bash of a host, gives its id to another process, and says what has become of that one. */
const REUSE = `
  coproc HOST { exec "$AGENT_SHELL" --jsonl; }
  ask() { printf '{"id":1,"command":"%s"}\\n' "$1" >&"\${HOST[1]}"; IFS= read -r -u "\${HOST[0]}" answer; }
  for _ in {1..20}; do
    ask 'echo $$'
    [[ $answer =~ '"stdout":"'([0-9]+) ]] || { echo "no bash: $answer"; exit; }
    bash=\${BASH_REMATCH[1]}
    kill -9 "$bash"
    while kill -0 "$bash" 2>/dev/null; do :; done
    echo $((bash - 1)) > /proc/sys/kernel/ns_last_pid
    setsid sleep 60 & other=$!
    [ "$other" != "$bash" ] || break
    # The host or its watchdog was faster.
    kill "$other"
    ask true
  done
  [ "$other" = "$bash" ] || { echo 'not reused'; exit; }
  until [[ $(</proc/$other/stat) = *'(sleep) S '* ]]; do :; done
  case $1 in
    'the next line') ask true; ask true ;;
    'the end of the host') exec {HOST[1]}>&-; wait "$HOST_PID" ;;
    'the death of the host') kill -9 "$HOST_PID"; until [ -z "$(ls "$TMPDIR")" ]; do sleep 0.02; done ;;
  esac
  [[ $(</proc/$other/stat) = *'(sleep) S '* ]] && echo alive`;

test.skipIf(!canChoose).each(['the next line', 'the end of the host', 'the death of the host'])(
  'after bash was killed and another process has its id, %s leaves that one alone (needs root and unshare)',
  (how) => {
    const env = cleanEnvironment({ AGENT_SHELL, TMPDIR: temporaryDirectory() });
    const argv = [...IN_NAMESPACE, 'bash', '-c', REUSE, 'bash', how];
    const { stdout } = spawnSync('unshare', argv, { env, encoding: 'utf8', cwd: '/' });
    expect(stdout).toBe('alive\n');
  },
  30_000,
);
