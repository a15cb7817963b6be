# Where standard input ends, Vim takes standard error for its keyboard, and would wait for ever for a key from a pipe.
# From a file it reads an error instead, says so and ends.
errors=$(mktemp) || exec "$program" "$@"
trap 'rm -f "$errors"' EXIT
"$program" "$@" 2>"$errors"
code=$?
cat "$errors" >&2
exit "$code"
