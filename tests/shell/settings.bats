#!/usr/bin/env bats
# TODO_* from the environment and from ./.env.

load helper

two() {
  list "$(item One)" "$(item Two)"
}

@test "a limit from .env" {
  echo 'TODO_MAX_ITEMS=1' > .env
  run --separate-stderr agent-shell -c "TodoWrite '$(two)'"
  equal "$status" 1
  [[ $stderr = *'- todos: Must have at most 1 items, received 2'* ]]
}

@test "the environment wins over .env" {
  echo 'TODO_MAX_ITEMS=1' > .env
  TODO_MAX_ITEMS=2 run --separate-stderr agent-shell -c "TodoWrite '$(two)'"
  equal "$status" 0
}

@test "they are read when the command runs" {
  run --separate-stderr agent-shell -c "TodoWrite '$(two)' && echo TODO_MAX_CONTENT_LENGTH=2 > .env; TodoWrite '$(two)' || echo refused"
  equal "${lines[1]}" refused
  [[ $stderr = *'Must be at most 2 characters, received 3'* ]]
}

@test "a value that is no positive integer: the default, and a warning that names it" {
  echo 'TODO_MAX_ITEMS=lots' > .env
  run --separate-stderr agent-shell -c "TodoWrite '$(two)'"
  equal "$status" 0
  equal "$stderr" "Warning: TODO_MAX_ITEMS must be a positive integer, received 'lots'; using 50"
}

@test "nothing of .env is put into the environment of commands" {
  printf 'SECRET=abc\nTODO_MAX_ITEMS=7\n' > .env
  run agent-shell -c 'echo "${SECRET-unset} ${TODO_MAX_ITEMS-unset}"'
  equal "$output" 'unset unset'
}

@test ".env.example is a .env with the defaults" {
  cp "${BATS_TEST_DIRNAME%/tests/shell}/.env.example" .env
  run --separate-stderr agent-shell -c "TodoWrite '$(two)'"
  equal "$status" 0
  equal "$stderr" ''
}
