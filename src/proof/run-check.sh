# Runs a check: $1, a command; $2, commands that bring back where it is to run. Everything that it prints goes to standard error.
# Standard input stays open for as long as somebody waits for the check: then it ends, with whatever it has started.
exec 1>&2 8<&0 </dev/null
(read -r _ <&8; kill -KILL 0) >/dev/null 2>&1 &
exec 8<&-
set -- "$BASH" "$@"
eval "$3"
exec "$1" -c "$2" check
