#!/usr/bin/env bats
# The ways in, as a script takes them: each reaches the list, and says what guidance has to say there.

load helper

dropped='Note: 1 unfinished item is no longer on the list: "Ship it". On purpose? Use --drop N.'

@test "a note is on stderr, and \$(TodoWrite ...) stays exact" {
  run --separate-stderr agent-shell -c 'TodoWrite "$1" >&2 && reply=$(TodoWrite "$2") && echo "<$reply>"' \
    line "$(list "$(item 'Fix it' in_progress)" "$(item 'Ship it')")" "$(list "$(item 'Fix it' in_progress)")"
  equal "$output" '<Todo list updated: 0 completed, 1 in_progress, 0 pending>'
  equal "${stderr_lines[1]}" "$dropped"
}

@test "TODO_GUIDANCE=off silences it, a wrong value is warned of" {
  local before after
  before=$(list "$(item 'Ship it')") after=$(list "$(item 'Fix it')")
  run --separate-stderr env TODO_GUIDANCE=off agent-shell -c 'TodoWrite "$1"; TodoWrite "$2"' line "$before" "$after"
  equal "$stderr" ''
  run --separate-stderr env TODO_GUIDANCE=loud agent-shell -c 'TodoWrite "$1"' line "$after"
  equal "$stderr" "Warning: TODO_GUIDANCE must be off, notes or all, received 'loud'; using all"
}

@test "a script, with its parameters and its exit code" {
  cat >script.sh <<'SCRIPT'
TodoWrite "$1" >reply || exit 9
TodoRead | head -n 1
exit 7
SCRIPT
  run agent-shell script.sh "$(list "$(item Build completed)")"
  equal "$status" 7
  equal "$output" '[x] Build'
}

@test "with -c there is no reminder" {
  TODO_REMINDER_TURNS=2 run --separate-stderr agent-shell -c 'TodoWrite "$1"; for i in {1..4}; do TodoRead; done >/dev/null' \
    line "$(list "$(item 'Ship it')")"
  equal "$status" 0
  equal "$stderr" ''
}

@test "TodoWrite on PATH compares with the list in its file" {
  export TODO_STATE_DIR=$PWD/state
  ln -s "${BATS_TEST_DIRNAME%/tests/shell}/dist/bin/commands/TodoWrite" "$BATS_TEST_TMPDIR/bin/TodoWrite"
  TodoWrite "$(list "$(item 'Fix it')" "$(item 'Ship it')")"
  run --separate-stderr TodoWrite "$(list "$(item 'Fix it')")"
  equal "$output" 'Todo list updated: 0 completed, 0 in_progress, 1 pending'
  equal "$stderr" "$dropped"
  run --separate-stderr env TODO_GUIDANCE=off TodoWrite "$(list "$(item 'Build it')")"
  equal "$stderr" ''
}

@test "over JSON lines there is a reminder after as many commands as the setting says" {
  local requests
  requests=$(
    printf '{"id":1,"command":"TodoWrite %s"}\n' "$(list "$(item 'Ship it' in_progress)" | sed 's/"/\\"/g; s/.*/'"'&'"'/')"
    printf '{"id":%d,"command":"echo"}\n' 2 3 4
  )
  TODO_REMINDER_TURNS=2 run agent-shell --jsonl <<< "$requests"
  [[ ${lines[1]} != *reminders* ]]
  [[ ${lines[2]} == *'"reminders":["Note: 2 commands since the last TodoWrite; 1 item unfinished. '* ]]
  [[ ${lines[3]} != *reminders* ]]
}
