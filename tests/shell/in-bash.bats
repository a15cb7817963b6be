#!/usr/bin/env bats
# TodoWrite and TodoRead as commands like any other, whatever stands around them.

load helper

REPLY_ONE='Todo list updated: 0 completed, 0 in_progress, 1 pending'

# holds LINE CONTENT: after LINE the list has this one item
holds() {
  run --separate-stderr agent-shell -c "$1
TodoRead --json"
  [[ ${lines[-1]} = *"\"content\":\"$2\""* ]] || {
    printf 'line: %s\noutput: %s\nerrors: %s\n' "$1" "$output" "$stderr" >&2
    return 1
  }
}

@test "after && and before it" {
  run agent-shell -c "cd / && TodoWrite '$(list "$(item Build)")' && pwd"
  equal "${lines[0]}" "$REPLY_ONE"
  equal "${lines[1]}" /
}

@test "a refused list stops an && chain and starts an || one" {
  run --separate-stderr agent-shell -c "TodoWrite '{\"todos\":1}' && echo never; TodoWrite nonsense || echo refused"
  equal "$output" refused
}

@test "\$? and set -e see its exit code" {
  run --separate-stderr agent-shell -c 'TodoWrite nonsense; echo $?'
  equal "$output" 1
  run --separate-stderr agent-shell -c 'set -e; TodoWrite nonsense; echo never'
  equal "$status" 1
  equal "$output" ''
}

@test "a heredoc keeps quotes, dollars and backticks" {
  run agent-shell <<'SCRIPT'
TodoWrite <<'EOF'
{"todos":[{"content":"Don't let `$(date)` cost \"$5\"","activeForm":"Minding","status":"pending"}]}
EOF
TodoRead
SCRIPT
  equal "${lines[1]}" '[ ] Don'\''t let `$(date)` cost "$5"'
}

@test "a pipe into it and out of it" {
  run agent-shell -c "echo '$(list "$(item Build)")' | TodoWrite | tr a-z A-Z"
  equal "$output" "${REPLY_ONE^^}"
}

@test "redirections of input, output and errors" {
  list "$(item Build)" > list.json
  run agent-shell -c 'TodoWrite < list.json > reply 2> errors; TodoWrite nope 2>> errors; cat reply; head -n 1 errors'
  equal "${lines[0]}" "$REPLY_ONE"
  equal "${lines[1]}" 'Error: Invalid JSON format'
}

@test "a full disk is an error, as for any command" {
  [ -w /dev/full ] || skip 'no /dev/full here'
  run --separate-stderr agent-shell -c ":; TodoWrite '$(list "$(item Build)")' > /dev/full"
  equal "$status" 1
  [[ $stderr = *'write error'* ]]
}

@test "a loop, a function, a subshell, a substitution" {
  holds "for name in One Two; do TodoWrite \"{\\\"todos\\\":[{\\\"content\\\":\\\"\$name\\\",\\\"activeForm\\\":\\\"A\\\",\\\"status\\\":\\\"pending\\\"}]}\"; done" Two
  holds "plan() { TodoWrite \"\$1\"; }; plan '$(list "$(item Planned)")'" Planned
  holds "(cd / && TodoWrite '$(list "$(item Sub)")')" Sub
  holds "reply=\$(TodoWrite '$(list "$(item Substituted)")'); [ -n \"\$reply\" ]" Substituted
}

@test "xargs, env, timeout, find -exec, command and sh" {
  local json
  json=$(list "$(item Built)")
  holds "printf '%s' '$json' | xargs -0 TodoWrite" Built
  holds "env SOME=1 TodoWrite '$json'" Built
  holds "find . -maxdepth 0 -exec TodoWrite '$json' \;" Built
  holds "command TodoWrite '$json'" Built
  holds "printf '%s' '$json' | sh -c TodoWrite" Built
  if command -v timeout > /dev/null; then holds "timeout 20 TodoWrite '$json'" Built; fi
}

@test "from a program that is no shell" {
  list "$(item Noded)" > list.json
  cat > plan.cjs <<'SCRIPT'
const { execFileSync } = require('node:child_process');
execFileSync('TodoWrite', { input: require('node:fs').readFileSync('list.json') });
SCRIPT
  holds 'node plan.cjs' Noded
}

@test "from make, where it is" {
  command -v make > /dev/null || skip 'no make here'
  list "$(item Made)" > list.json
  printf 'plan:\n\tTodoWrite < list.json\n' > Makefile
  holds 'make -s plan' Made
}

@test "many in the background: each gets its reply, and the list is one of theirs" {
  run agent-shell -c 'for n in {1..8}; do
    TodoWrite "{\"todos\":[{\"content\":\"Task $n\",\"activeForm\":\"A\",\"status\":\"pending\"}]}" &
  done; wait; TodoRead'
  equal "$(grep -c "^$REPLY_ONE$" <<< "$output")" 8
  equal "$(grep -cE '^\[ \] Task [0-9]+$' <<< "$output")" 1
}

@test "TodoRead feeds other tools" {
  cat > count.cjs <<'SCRIPT'
console.log(JSON.parse(require('node:fs').readFileSync(0)).todos.length);
SCRIPT
  run agent-shell -c "TodoWrite '$(list "$(item One completed)" "$(item Two completed)" "$(item Three)")' > /dev/null
    TodoRead | grep -c '^\[x\]'
    TodoRead --json | node count.cjs"
  equal "${lines[0]}" 2
  equal "${lines[1]}" 3
}

@test "an early reader harms nobody" {
  run --separate-stderr agent-shell -c "TodoWrite '$(list "$(item Build)")' | true; TodoRead | head -n 0; echo on"
  equal "$output" on
  equal "$stderr" ''
}

@test "a refused list changes nothing" {
  holds "TodoWrite '$(list "$(item Kept)")'; TodoWrite '$(list "$(item Lost doing)")'" Kept
  [[ $stderr = *"- todos[0].status: Expected 'pending' | 'in_progress' | 'completed', received 'doing'"* ]]
}

@test "what is forgiven is said, on stderr" {
  run --separate-stderr agent-shell -c 'TodoWrite {"todos":[]}'
  equal "$status" 0
  equal "$output" 'Todo list updated: 0 completed, 0 in_progress, 0 pending'
  [[ $stderr = 'Note: '* ]]
}

@test "standard input is not read when the JSON is on the line" {
  run --separate-stderr agent-shell -c 'TodoWrite {"todos":[]}' < <(list "$(item Other)")
  equal "$output" 'Todo list updated: 0 completed, 0 in_progress, 0 pending'
}
