# npm start: your own bash, with the commands of this checkout.
[ -x dist/bin/agent-shell.cjs ] || { echo 'Run npm ci first' >&2; exit 1; }
exec dist/bin/agent-shell.cjs --rcfile scripts/start.bash
