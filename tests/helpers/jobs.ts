/**
 * A line that leaves jobs: one, one in a process group and one in a session of its own, orphans of these with and without the
 * session's outputs or environment, and one that ignores TERM.
 */
export const LEAVE_JOBS =
  '(setsid sleep 1003 &); (setsid sleep 1004 >/dev/null 2>&1 &); (env -i setsid sh -c "sleep 1005; : $PATH" &); ' +
  'sleep 1000 & set -m; sleep 1001 & set +m; setsid sleep 1002 & bash -c \'trap "" TERM HUP; while :; do sleep 0.1; done\' &';
