# Runs a check: $1 is the command; $2 restores its directory and environment. All output goes to standard error.
exec 1>&2 </dev/null
set -- "$BASH" "$@"
eval "$3"
exec "$1" -c -- "$2" check
