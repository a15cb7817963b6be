# The hooks that show the task list below the prompt of an interactive agent-shell; interactive.bash installs them.
# They must work under `set -e`, `set -u`, `set -f`, any IFS and failglob. Node runs only when a list has changed.

# PS0 is shown before a command runs (since bash 4.4): removes the panel, once, and records that a command has run.
__todo_ps0='${__todo_start:$((__todo_ran=1,__todo_drawn?(__todo_drawn=0):99999))}'
# Resets the scrolling region and erases all below the cursor.
__todo_unpin=$'\e7\e[r\e8\e[J'
# The same, but erases only below the cursor's row, in which typed text may go on. From the first row on, tmux would keep the panel
# in its history.
__todo_unpin_below=$'\e7\e[r\e8\eD\e[A\e7\e[B\r\e[J\e8'
__todo_goes=$'*\e\\[*([0-9;])[HfdJ]*' # goes to a row by its number, which may be one of the panel's, or erases below the cursor
__todo_has_ps0=$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404))

__todo_stamp=      # what the panel was made from; empty: nothing is shown
__todo_drawn=0     # 1: there may be a panel on the screen
__todo_ran=0       # 1: PS0 was shown, so a command has run since the last prompt
__todo_start=      # what PS0 writes before a command runs
__todo_known=      # the lists as last shown
__todo_journal=()  # with TODO_GUIDANCE=all, for each command: its exit code, its line, and the lists after it
__todo_sessions= __todo_patterns=() # the sessions this place may belong to, and patterns for the names of their folders
__todo_number=     # the number of the newest history entry
__todo_frame= __todo_settled= __todo_folded= __todo_say= __todo_heads= __todo_plain= __todo_written=
__todo_bound=      # 1: Ctrl-L is ours, or must not be
__todo_keys=       # the keys that start commands (`bind -x`)
__todo_pages=      # with a panel: whether readline showed completions in pages before
__todo_reads=      # `reading`: readline reads a line
__todo_waits= __todo_late= # 1: our hook is the first, because of a DEBUG trap, and __todo_late has what it writes after the last
__todo_turn=0 __todo_patience=0 # with lists on a server: commands that have run, and the number of them at which to ask one again

# Added to PROMPT_COMMAND. Returns $? for what follows, in an && list, where that neither ends the shell nor runs an ERR trap.
# The redirections are around the call, so that `set -x` does not show it.
__todo_hook='{ __todo_prompt && :; } 3>&2 2>/dev/null'
# The trap for a new size of the terminal, which bash does not notice itself then. A DEBUG trap does not see it: a function
# definition is no command. Bash reads it as the rest of a line that is being continued, so it begins with a newline, and has
# backquotes: for $( ) bash 5.2 parses again, and ended in that line with its memory corrupted.
__todo_resize=$'\n''{ __todo_last() { :; }; } 3>&2 2>/dev/null </dev/null"${__todo_mode:$((`__todo_draw_again`99999))}"'
__todo_prompt() {
  local code=$?
  __todo_keep_path && __todo_look "$code" || :
  return "$code"
}

__todo_look() {
  local IFS=$' \t\n' ran=$__todo_ran command= heads= erase= stamp guided=
  __todo_ran=0 __todo_late=
  if ! shopt -q promptvars; then
    # Bash would print its text.
    if [[ ${PS0-} = *__todo_start* ]]; then PS0=${PS0//"$__todo_ps0"/}; fi
  elif [[ ${PS0-} != *__todo_start* ]]; then
    PS0=$__todo_ps0${PS0-}
  fi
  __todo_choose_mode
  if [[ $__todo_mode != off ]]; then __todo_find_heads; fi
  [[ -n $heads ]] || { __todo_stamp=; __todo_show_nothing; return; }
  if [[ $__todo_has_ps0 = 0 ]]; then ran=1; fi
  if [[ $ran = 1 ]]; then
    __todo_find_line
    if [[ ${TODO_GUIDANCE-} = all ]]; then
      __todo_journal+=("$1" "$command" "$heads") guided=1
      if [[ ${#__todo_journal[@]} -gt 900 ]]; then __todo_journal=("${__todo_journal[@]:300}"); fi
    fi
  fi
  stamp="$__todo_mode ${COLUMNS-} ${LINES-} $heads"
  # Changes stand out only once.
  __todo_frame=${__todo_settled:-$__todo_frame} __todo_settled=
  if [[ $stamp != "$__todo_stamp" || -n $guided ]]; then
    __todo_ask_node "$ran"
    # The first time, the panel of a killed shell may still be there.
    if [[ -n $__todo_frame && ( $__todo_drawn = 1 || -z $__todo_stamp ) ]]; then erase=$__todo_unpin; fi
    __todo_stamp=$stamp __todo_known=${__todo_heads:-$heads}
    if [[ -n $guided && -n $__todo_heads ]]; then __todo_journal[${#__todo_journal[@]}-1]=$__todo_heads; fi
    __todo_put "$erase$__todo_say"
  elif [[ $ran = 1 && -n $__todo_folded ]]; then
    __todo_frame=$__todo_folded
  fi
  [[ -n $__todo_frame ]] || { __todo_show_nothing; return; }
  if [[ -z $__todo_bound ]]; then __todo_bind; fi
  __todo_put "$__todo_frame"
  if [[ $ran = 1 || $__todo_drawn = 0 ]]; then __todo_keep_traps_and_keys; fi
  if [[ -z $__todo_pages ]]; then __todo_end_pages; fi
  __todo_drawn=1 __todo_start=$__todo_unpin AGENT_SHELL_PROMPT=$$
}

# Writes to the prompt's terminal.
__todo_put() {
  if [[ -n $__todo_waits ]]; then __todo_late+=$1; else builtin printf %s "$1" >&3; fi
}

# Removes the panel. A background job may still draw one.
__todo_show_nothing() {
  if [[ $__todo_drawn = 1 ]]; then __todo_put "$__todo_unpin"; fi
  if [[ $__todo_pages = on ]]; then builtin bind 'set page-completions on'; fi
  __todo_drawn=0 __todo_frame= __todo_start= __todo_pages= AGENT_SHELL_PROMPT=
  if [[ $__todo_mode = auto ]]; then AGENT_SHELL_PROMPT=$$; fi
  if [[ $__todo_mode = auto && -n ${!:-} ]]; then __todo_drawn=1 __todo_start=$__todo_unpin; fi
}

# Ctrl-D, a new size of the terminal, and keys that start a command (`bind -x`) show no PS0.
__todo_keep_traps_and_keys() {
  local keys keymap
  __todo_keep_trap EXIT '__todo_leave && :'
  __todo_keep_trap WINCH "$__todo_resize"
  keys=$(__todo_list_keys)
  if [[ $keys != "$__todo_keys" ]]; then
    keys+=$'\n'
    while [[ $keys = *$'\n'* ]]; do
      __todo_wrap_key "${keys%%$'\n'*}"
      keys=${keys#*$'\n'}
    done
    __todo_keys=$(__todo_list_keys)
  fi
}

# Puts a command of ours before the user's trap.
__todo_keep_trap() {
  local trap signal=$1 command=$2
  trap=$(\builtin trap -p "$signal")
  if [[ $trap = *__todo_* ]]; then return 0; fi
  builtin eval "set -- $trap"
  if [[ ${3-} = - ]]; then set --; fi # POSIX mode prints a trap that is not set.
  # Not inside the quotes: in POSIX mode, in which this may be read, $' means nothing there.
  builtin trap "$command"${3:+$'\n'"$3"} "$signal"
}

__todo_list_keys() {
  local keymap
  for keymap in emacs vi-insert vi-command; do
    builtin echo "$keymap" && builtin bind -m "$keymap" -X
    builtin bind -m "$keymap" -q edit-and-execute-command
    builtin bind -m "$keymap" -q vi-edit-and-execute-command
  done
}

# Gives a key's command the whole terminal, and draws the panel again after it. Takes a line of __todo_list_keys: the name of a
# keymap, kept in `keymap`, the keys of an editor, or a key and its command, in which bash has put backslashes.
__todo_wrap_key() {
  if [[ $1 = *edit-and-execute-command* ]]; then __todo_wrap_editor "$1"; return 0; fi
  local line=${1/'" "'/'": "'} # bash 5.3 lists keys without a colon
  local key=${line%%'": "'*} command=${line#*'": "'}
  if [[ $line != *'": "'* ]]; then keymap=$1; fi
  command=${command%\"} command=${command//\\\\/$'\001'} command=${command//\\\"/\"}
  if [[ $line != *'": "'* || $command = *[\\]* || $command = *__todo_* ]]; then return 0; fi
  command=${command//$'\001'/\\}
  builtin bind -m "$keymap" -x "$key\": { __todo_free \"\$_\"; } 3>&2 2>/dev/null; $command
{ __todo_again && :; } 3>&2 2>/dev/null"
}

# Keys that edit the line in an editor, such as Ctrl-X Ctrl-E, become three keys: what is edited must not run in a function of ours,
# in which `declare` is local.
__todo_wrap_editor() {
  local key map keys=$1 private='\e[~todo-'
  while [[ $keys = *'"'*'"'* ]]; do
    keys=${keys#*'"'} key=${keys%%'"'*} keys=${keys#*'"'}
    [[ $key != "$private"* ]] || continue
    builtin bind -m "$keymap" -x "\"${private}free\": { __todo_free \"\$_\"; } 3>&2 2>/dev/null"
    builtin bind -m "$keymap" "\"${private}edit\": ${1%% *}"
    for map in "$keymap" vi-insert; do # in which vi mode is afterwards
      builtin bind -m "$map" -x "\"${private}again\": { __todo_again && :; } 3>&2 2>/dev/null"
    done
    builtin bind -m "$keymap" "\"$key\": \"${private}free${private}edit${private}again\""
  done
}

__todo_free() {
  if [[ $__todo_drawn = 1 ]]; then builtin printf %s "$__todo_unpin_below" >&3; fi
}

# Returns $?, which tells bash whether to write the whole prompt again.
__todo_again() {
  local code=$?
  (__todo_draw_again >/dev/null)
  return "$code"
}

# Draws the panel while readline reads a line, until the size of the terminal is that which it was drawn for: bash forgets a signal
# that arrives while its trap runs. For a process of its own: what it learns is forgotten but for the size, which it prints.
__todo_draw_again() {
  local size last=-
  __todo_waits= __todo_reads=reading __todo_unpin=$__todo_unpin_below
  while size=$(\command stty size <&3); [[ $size != "$last" ]]; do
    last=$size LINES=${size% *} COLUMNS=${size#* }
    if [[ $__todo_drawn = 1 ]]; then __todo_look 0 || :; fi
  done
  builtin echo "${size:+LINES=${size% *},COLUMNS=${size#* },}"
}

# Returns early when a trapped signal arrives, so while it waits there is no trap of ours.
function wait {
  if [[ $(\builtin trap -p WINCH) = "trap -- '$__todo_resize' "* ]]; then builtin trap - WINCH; fi
  builtin wait "$@"
}

__todo_leave() {
  local code=$?
  if [[ $__todo_drawn = 1 ]]; then builtin printf %s "$__todo_unpin"; fi
  return "$code"
} >&2

# Readline takes the height of a page of completions from the kernel only, not from LINES: the first rows of each page would scroll
# away unseen above the panel.
__todo_end_pages() {
  __todo_pages=off
  if [[ $(\builtin bind -v) = *'set page-completions on'* ]]; then __todo_pages=on && builtin bind 'set page-completions off'; fi
}

# Binds Ctrl-L and Ctrl-Alt-L, unless the user has: tmux keeps a cleared screen in its history, and would keep the panel, too.
__todo_bind() {
  local keymap
  __todo_bound=1
  for keymap in emacs vi-insert vi-command; do
    if [[ $(\builtin bind -m "$keymap" -q clear-screen) = *'"\C-l"'* ]]; then
      builtin bind -m "$keymap" -x '"\C-l": __todo_clear "" "$_"'
    fi
    if [[ $(\builtin bind -m "$keymap" -q clear-display) = *'"\e\C-l"'* ]]; then
      builtin bind -m "$keymap" -x '"\e\C-l": __todo_clear scrollback "$_"'
    fi
  done
}

__todo_clear() {
  builtin printf %s "$__todo_unpin"$'\e[H\e[2J'${1:+$'\e[3J'} >&3
  (__todo_draw_again >/dev/null)
  # Bash then writes the whole prompt again.
  return 124
} 3>&2 2>/dev/null

# Sets __todo_mode. `auto` only if a person can see a panel and PS0 (bash 4.4) can remove it; otherwise `above`.
__todo_choose_mode() {
  local prompt=${PS1-}
  __todo_mode=${TODO_PANEL:-auto}
  case $__todo_mode in off | plain) return ;; esac
  __todo_mode=auto
  # A prompt that ends with a newline, or is JSON, is read by a program.
  if [[ ${TERM:-dumb} = dumb || ! -t 3 || -n ${BLE_VERSION-} || $prompt = *$'\n' || $prompt = *'\n' ||
    $prompt = *'{'*'":'*'}'* ]] || ! shopt -q promptvars; then
    __todo_mode=off
  elif [[ $__todo_has_ps0 = 0 ]]; then
    __todo_mode=above
  else
    [[ $prompt = "$__todo_plain" ]] || __todo_written=$(\builtin printf %s "${prompt@P}")
    __todo_plain=$prompt
    if [[ $__todo_written = $__todo_goes ]]; then __todo_mode=off; fi
  fi
}

# Sets `session` to the sessions that this place may belong to, and `state` to the folder of all lists, like stateFolder in
# src/lists/list-paths.ts.
__todo_find_place() {
  local path
  if [[ $PWD != "${__todo_pwd-}" ]]; then
    __todo_pwd=$PWD __todo_path=$(\builtin pwd -P)
  fi
  state=${XDG_STATE_HOME-}
  [[ $state = /* ]] || state=${HOME:-~}/.local/state
  state=${TODO_STATE_DIR:-$state/todowrite}
  session=("$__todo_path" ${TODO_SESSION:+"$TODO_SESSION"} ${TODO_TASK_LIST:+"$TODO_TASK_LIST"} ${TODO_TEAM:+"$TODO_TEAM"})
  path=$__todo_path
  while [[ -n $path ]]; do
    if [[ -e $path/.git ]]; then
      [[ $path = "$__todo_path" ]] || session+=("$path")
      [[ $state = /* ]] || state=$path/$state
      [[ -O $path/.git && -O $path ]] && break
    fi
    path=${path%/*}
  done
  [[ $state = /* ]] || state=$__todo_path/$state
}

# Sets `heads` to the head files, which name the newest versions, of all lists that may belong to this place. With a few too
# many, Node only runs more often than needed.
__todo_find_heads() {
  local state session path pattern found names option IFS= noglob= unset=
  __todo_find_place
  if [[ -n ${TODO_STATE_URL-} ]]; then
    # Only Node can ask a server: after each command, or rarely if the server does not answer.
    __todo_turn=$((__todo_turn + ran))
    if (( __todo_turn >= __todo_patience )); then heads="server $__todo_turn"; fi
    return 0
  fi
  case $- in *f*) noglob=1 && set +f ;; esac
  for option in failglob nocasematch; do
    shopt -q $option && unset=${unset:+$unset }$option && shopt -u $option
  done
  if [[ ${session[*]} != "$__todo_sessions" ]]; then
    __todo_sessions=${session[*]} __todo_patterns=()
    for path in "${session[@]}"; do
      # The folder names of src/lists/list-paths.ts, with patterns for characters that are costly to encode.
      pattern=${path//[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.\/-]/%*}
      pattern=${pattern//[ABCDEFGHIJKLMNOPQRSTUVWXYZ]/+?}
      pattern=${pattern//\//%2f}
      case $pattern in .*) pattern=%2e${pattern#.} ;; esac
      (( ${#pattern} <= 80 )) || pattern=${pattern:0:80}*
      __todo_patterns+=("$pattern")
    done
  fi
  for pattern in "${__todo_patterns[@]}"; do
    # Lists are in `untracked~` if git tracks some in the folder itself (lists/list-home.ts).
    names=("$state"/untracked~/$pattern/*/head-* "$state"/untracked~/tasks~/$pattern/head-*
      "$state"/$pattern/*/head-* "$state"/tasks~/$pattern/head-*)
    for found in "${names[@]}"; do
      [[ $found = */head-\* || $heads = *"$found"* ]] || heads+=$found$'\n'
    done
  done
  [[ -z $noglob ]] || set -f
  IFS=' '
  [[ -z $unset ]] || shopt -s $unset
}

# Sets `command` to the line that has just run, if it is in the history: others are private.
__todo_find_line() {
  local entry number
  entry=$(HISTTIMEFORMAT= \builtin history 1)
  entry=${entry#"${entry%%[0123456789]*}"}
  number=${entry%%[!0123456789]*}
  if [[ $number != "$__todo_number" ]]; then
    __todo_number=$number
    command=${entry#"$number"}
    command=${command:2:20001}
  fi
}

# Asks Node what to show. If a program drives the terminal, Node sets __todo_mode=off.
__todo_ask_node() {
  local answer
  __todo_frame= __todo_settled= __todo_folded= __todo_say= __todo_heads=
  answer=$(\builtin printf '%s\0' "$__todo_known" ${__todo_journal[@]+"${__todo_journal[@]}"} |
    \command "$__todo_node" "$__todo_bin/agent-shell.cjs" prompt-panel "$__todo_mode" "${__todo_reads:-$1}")
  if [[ -z $answer ]]; then __todo_patience=$((__todo_turn + 20)); fi
  builtin eval "$answer"
}
