#!/usr/bin/env bats
# A person's first hour with an interactive agent-shell, on a real terminal, with a list in sight.

LIST='[{"content":"Read","activeForm":"Reading","status":"completed"},{"content":"Write","activeForm":"Writing","status":"in_progress"}]'

# One agent-shell in tmux for all tests, in a home and a work tree of its own; the panel of a list is below its prompt.
setup_file() {
  command -v tmux >/dev/null || return 0
  unset NODE_EXTRA_CA_CERTS ${!TODO_*}
  export HOME=$BATS_FILE_TMPDIR/home SOCKET=$BATS_FILE_TMPDIR/tmux TODO_STATE_DIR=$BATS_FILE_TMPDIR/state
  mkdir -p "$HOME/project"
  cat >>"$HOME/.bashrc" <<'RC'
PS1='me> ' HISTFILE=
alias greet='echo hello from an alias'
_greet() { COMPREPLY=($(compgen -W 'alice alfred' -- "$2")); }
complete -F _greet meet
meet() { echo "met $1"; }
RC
  cd "$HOME/project"
  local shell=${BATS_TEST_DIRNAME%/tests/shell}/dist/bin/agent-shell.cjs
  tmux -S "$SOCKET" -f /dev/null new-session -d -x 90 -y 30 "exec '$shell'"
  until_screen '^me>$'
  type_line "TodoWrite '$LIST' >/dev/null"
  until_panel
}

teardown_file() {
  tmux -S "$SOCKET" kill-server 2>/dev/null || true
}

# An empty screen for each test: a row of the one before is no answer.
setup() {
  command -v tmux >/dev/null || skip 'no tmux'
  cd "$HOME/project"
  type_line clear
  until [ "$(screen | head -n 1)" = 'me>' ]; do sleep 0.05; done
  until_panel
}

terminal() { tmux -S "$SOCKET" "$@"; }
keys() { terminal send-keys "$@"; }
type_text() { terminal send-keys -l -- "$1"; }
type_line() { type_text "$1" && keys Enter; }
screen() { terminal capture-pane -p; }

# until_so COMMAND...: waits until this command says so of the screen, which it reads
until_so() {
  local try now= seen=
  for ((try = 0; try < 400; try++)); do
    now=$(screen)
    if [ "$now" != "$seen" ] && "$@" <<<"$now"; then return; fi
    seen=$now
    sleep 0.05
  done
  printf 'never so: %s\n%s\n' "$*" "$now" >&2
  return 1
}

# until_screen REGEX: waits for a row that matches
until_screen() { until_so grep -qE -- "$1"; }

# Waits for an empty prompt with the whole panel below it.
until_panel() { until_so is_panel; }
is_panel() {
  local rows
  rows=$(grep -v '^$')
  [[ $(tail -n 5 <<<"$rows") = 'me>'$'\n┌─ Tasks '*' 1/2 '*$'\n│ ✓ Read '*$'\n│ ● Writing...'*$'\n└'* ]] &&
    [ "$(grep -c '─ Tasks ─' <<<"$rows")" = 1 ]
}

# run_line LINE: a line without output. The prompt before it, which may still stand there, is not the next one.
run_line() {
  type_line "$1"
  until_screen "^me> $1\$"
  until_panel
}

@test "aliases, functions and the prompt of .bashrc" {
  type_line greet
  until_screen '^hello from an alias$'
  until_panel
}

@test "vim has the whole terminal, and gives it back" {
  command -v vim >/dev/null || skip 'no vim'
  type_line 'vim -u NONE -N notes.txt'
  until_screen '^~$'
  [ "$(screen | grep -c '─ Tasks ─')" = 0 ]
  type_text 'iwritten in vim'
  keys Escape
  type_line ':wq'
  until_panel
  [ "$(cat notes.txt)" = 'written in vim' ]
}

@test "git commit opens the editor" {
  command -v git >/dev/null || skip 'no git'
  git init -q repo && cd repo && git config user.email a@b.c && git config user.name me && touch a && git add a
  type_line 'EDITOR="vim -u NONE -N" git -C repo commit'
  until_screen '^# Please enter'
  type_text 'iA first commit'
  keys Escape
  type_line ':wq'
  until_screen 'A first commit'
  until_panel
  [ "$(git log --format=%s)" = 'A first commit' ]
}

@test "top draws itself anew, and q leaves it" {
  command -v top >/dev/null || skip 'no top'
  type_line top
  until_screen 'PID +USER'
  [ "$(screen | grep -c '─ Tasks ─')" = 0 ]
  keys q
  until_panel
}

@test "less shows a page at a time" {
  command -v less >/dev/null || skip 'no less'
  type_line 'seq 200 | less'
  until_screen '^25$'
  keys G
  until_screen '^200$'
  keys q
  until_panel
}

@test "Tab completes files, commands and the words of a completion function" {
  touch a-long-name.txt
  type_text 'ls a-l'
  keys Tab
  until_screen '^me> ls a-long-name.txt'
  keys Enter
  until_screen '^a-long-name.txt$'
  until_panel
  type_text 'meet al'
  keys Tab Tab
  until_screen '^alfred +alice'
  type_text 'i'
  keys Tab Enter
  until_screen '^met alice$'
  until_panel
}

@test "Ctrl-R finds an earlier line, Up brings back the last" {
  type_line 'echo $((6 * 7)) found'
  until_screen '^42 found$'
  run_line true
  keys C-r
  type_text '6 * 7'
  until_screen "reverse-i-search.*6 \* 7"
  keys C-c
  until_panel
  keys Up Up Enter
  until [ "$(screen | grep -c '^42 found$')" = 2 ]; do sleep 0.05; done
  until_panel
}

@test "Ctrl-C ends a command, and drops a line that is being typed" {
  type_line 'echo begun; sleep 60; echo never'
  until_screen '^begun$'
  keys C-c
  until_panel
  type_text 'echo dropped'
  until_screen '^me> echo dropped$'
  keys C-c
  until_panel
  type_line 'echo "code $?"'
  until_screen '^code 130$'
  [ "$(screen | grep -cE '^(never|dropped)$')" = 0 ]
}

@test "Ctrl-Z stops a command, bg and fg go on with it" {
  type_line 'echo begun; sleep 60'
  until_screen '^begun$'
  keys C-z
  until_screen '^\[1\]\+ +Stopped +sleep 60$'
  until_panel
  type_line bg
  until_screen '^\[1\]\+ sleep 60 &$'
  until_panel
  type_line fg
  until_screen '^sleep 60$'
  keys C-c
  until_panel
}

@test "read -p, colours and columns: commands have a terminal" {
  type_line 'read -p "your name? " name; echo "I am $name"'
  until_screen '^your name\? $|^your name\?$'
  type_line Ann
  until_screen '^I am Ann$'
  until_panel
  mkdir dir && touch file
  type_line 'ls --color=auto; tput cols; test -t 0 -a -t 1 && echo both'
  until_screen '^both$'
  until_screen '^90$'
  until_screen '^dir +file$|^dir +a.* file$|dir'
  terminal capture-pane -p -e | grep -q $'\e\[[0-9;]*mdir'
  until_panel
}

@test "input typed while a command runs is the next command" {
  type_line 'echo busy; sleep 1'
  until_screen '^busy$'
  type_line 'echo typed ahead'
  until_screen '^typed ahead$'
  until_panel
}

@test "a long line wraps, and is run as it was typed" {
  type_text "echo $(printf 'word%s ' {1..40})| wc -w"
  keys C-a C-e Enter
  until_screen '^40$'
  until_panel
}

@test "vi mode, a multi-line command, a heredoc" {
  run_line 'set -o vi'
  type_text 'echo wrong'
  keys Escape
  type_text 'bcwright'
  keys Escape Enter
  until_screen '^right$'
  until_panel
  type_line 'cat <<END'
  until_screen '^>$'
  type_line 'in a heredoc'
  type_line END
  until_screen '^in a heredoc$'
  until_panel
}
