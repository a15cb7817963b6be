# When standard input ends, Vim reads keys from standard error, and would wait forever on a pipe. On a file it gets an
# error, says so and exits.
errors=$(mktemp) || exec "$program" "$@"
trap 'rm -f "$errors"' EXIT
"$program" "$@" 2>"$errors"
code=$?
cat "$errors" >&2
exit "$code"
