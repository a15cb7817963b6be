#!/usr/bin/env bats
# agent-shell where bash stood: -c, a script, standard input.

load helper

@test "-c runs a line as bash does" {
  run --separate-stderr agent-shell -c 'x=4; echo $((x * 10 + 2)) {a,b}; echo oops >&2; exit 3'
  equal "$status" 3
  equal "$output" '42 a b'
  equal "$stderr" oops
}

@test "-c takes a name and parameters" {
  run agent-shell -c 'echo "$0: $# $2"' tool one 'two words'
  equal "$output" 'tool: 2 two words'
}

@test "-c with a single agent command, and its exit codes" {
  run --separate-stderr agent-shell -c "TodoWrite '$(list "$(item Build in_progress)" "$(item Test)")'"
  equal "$status" 0
  equal "$output" 'Todo list updated: 0 completed, 1 in_progress, 1 pending'
  equal "$stderr" ''

  run --separate-stderr agent-shell -c 'TodoWrite'
  equal "$status" 1
  equal "$output" ''
  equal "${stderr_lines[0]}" 'Error: Missing JSON parameter'
}

@test "a script, with its parameters and its exit code" {
  cat > script.sh <<'SCRIPT'
TodoWrite "$1" > reply || exit 9
TodoRead | head -n 1
cat reply
exit 7
SCRIPT
  run agent-shell script.sh "$(list "$(item Build completed)")"
  equal "$status" 7
  equal "${lines[0]}" '[x] Build'
  equal "${lines[1]}" 'Todo list updated: 1 completed, 0 in_progress, 0 pending'

  run agent-shell script.sh nonsense
  equal "$status" 9
}

@test "a script that is not there: bash's words and bash's code" {
  run -127 agent-shell missing.sh
  equal "$output" 'bash: missing.sh: No such file or directory'
}

@test "a script on standard input" {
  run agent-shell <<SCRIPT
cd /
pwd
TodoWrite '$(list "$(item Ship)")'
TodoRead
false
SCRIPT
  equal "$status" 1
  equal "${lines[0]}" /
  equal "${lines[2]}" '[ ] Ship'
}

@test "standard input belongs to the line that -c runs" {
  run agent-shell -c 'tr a-z A-Z' <<< 'from outside'
  equal "$output" 'FROM OUTSIDE'
}

@test "a list on standard input of a single TodoWrite" {
  run agent-shell -c TodoWrite < <(list "$(item Build)")
  equal "$output" 'Todo list updated: 0 completed, 0 in_progress, 1 pending'
}

@test "death by a signal is a death by that signal" {
  run agent-shell -c 'kill -TERM $$'
  equal "$status" 143
}

@test "a line that bash cannot read gets bash's error, and how to write it" {
  run --separate-stderr agent-shell -c "echo hi && TodoWrite '{\"todos\":[}"
  [ "$status" -ne 0 ]
  equal "$output" ''
  [[ $stderr = *'unexpected EOF'* ]]
  [[ $stderr = *"TodoWrite <<'EOF'"* ]]
}

@test "off a terminal there is no panel and no escape sequence" {
  run agent-shell -c "TodoWrite '$(list "$(item Build in_progress)")'; TodoRead"
  [[ $output != *$'\e'* ]]
  [[ $output != *┌* ]]
}

@test "--version prints the version" {
  run agent-shell --version
  equal "$status" 0
  [[ $output =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "--help prints a page to stdout, which begins with three examples and fits a screen" {
  run --separate-stderr agent-shell --help
  equal "$status" 0
  equal "$stderr" ''
  [[ $output = 'Examples:
  agent-shell '*'
  agent-shell '*'
  agent-shell '*'

Usage: agent-shell'* ]]
  (( ${#lines[@]} <= 40 ))
}

@test "an unknown option: bash's words, and bash's code" {
  run --separate-stderr agent-shell --frobnicate
  equal "$status" 2
  equal "$output" ''
  equal "${stderr_lines[0]}" 'bash: --frobnicate: invalid option'
}

@test "nothing is left behind" {
  mkdir tmp
  TMPDIR=$PWD/tmp agent-shell -c "echo hi; TodoWrite '$(list "$(item Build)")'; exit 4" || true
  equal "$(ls -A tmp)" ''
}
