# Runs a check: $1 is the command; $2 restores its directory and environment. All output goes to standard error. Standard input
# stays open while the caller waits. When it closes, the process group is killed.
exec 1>&2 8<&0 </dev/null
(read -r _ <&8; kill -KILL 0) >/dev/null 2>&1 &
exec 8<&-
set -- "$BASH" "$@"
eval "$3"
exec "$1" -c "$2" check
