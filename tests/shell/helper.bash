# For all tests in this folder: agent-shell on PATH as it is built, and an empty directory to work in.

bats_require_minimum_version 1.5.0

setup() {
  local root=${BATS_TEST_DIRNAME%/tests/shell}
  mkdir "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/work"
  ln -s "$root/dist/bin/agent-shell.cjs" "$BATS_TEST_TMPDIR/bin/agent-shell"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  cd "$BATS_TEST_TMPDIR/work"
  # A list of this test's own, whatever folder it goes to.
  export TODO_STATE_DIR=$BATS_TEST_TMPDIR/state TODO_SESSION=test
  unset NODE_EXTRA_CA_CERTS TODO_AGENT TODO_MAX_ITEMS TODO_MAX_CONTENT_LENGTH TODO_CLEAR_WHEN_DONE TODO_GUIDANCE TODO_REMINDER_TURNS
}

# item CONTENT [STATUS]: one item as JSON
item() {
  printf '{"content":"%s","activeForm":"Doing it","status":"%s"}' "$1" "${2:-pending}"
}

# list ITEM...: a list of items as JSON
list() {
  local IFS=,
  printf '{"todos":[%s]}' "$*"
}

# equal ACTUAL EXPECTED
equal() {
  [ "$1" = "$2" ] || {
    printf 'expected: %q\nreceived: %q\n' "$2" "$1" >&2
    return 1
  }
}
