# Startup file of an interactive agent-shell: reads the user's own startup files, then installs the hooks that show the task list
# at the prompt. With a line of -c, by which editors and agents read a person's environment, it changes PATH only. All our names
# begin with __todo_. The functions come first: the user's aliases must not change them. Bash parses $( ) again when it runs it, so
# names in it have a backslash.

__todo_bin=${BASH_SOURCE[0]%/*}
__todo_node=$__todo_bin/../../lib/node # that of a portable folder
if [[ ! -x $__todo_node ]]; then __todo_node=node; fi
if [[ -z ${BASH_EXECUTION_STRING+1} ]]; then . "$__todo_bin/prompt-hooks.bash"; fi

# After the user's files, and any line of theirs that replaces PATH. Searching PATH is slow where it has folders of Windows.
__todo_keep_path() {
  if [[ ${PATH-} != "${__todo_kept-}" ]]; then
    builtin type -P TodoWrite >/dev/null || PATH=${PATH:+$PATH:}$__todo_bin/commands
    __todo_kept=$PATH
  fi
}

# Releases the tasks that this shell's agent has begun, when the shell ends or is killed. A second bash, which is not a job of
# this shell, waits for the end of a FIFO that this shell has open. Other processes may have it open too, so it also polls for
# the shell.
__todo_release_at_exit() {
  local folder wanted=${TODO_RELEASE_AT_EXIT:-${TODO_AGENT:+1}}
  case $wanted in 1 | [Tt][Rr][Uu][Ee]) ;; *) return 0 ;; esac
  if (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 401 )); then return 0; fi
  folder=$(\command mktemp -d) && command mkfifo "$folder/end" || return 0
  export AGENT_SHELL_SESSION=$$.$RANDOM$RANDOM
  exec {__todo_end}<>"$folder/end"
  (command "$BASH" -pc '
    trap "" INT TERM HUP QUIT
    rm -rf "$2"
    while kill -0 "$1"; do
      read -r -t 10 _
      # 1: nobody has the other end open.
      [[ $? = 1 ]] && kill -0 "$1" && sleep 1
    done
    exec "$3" --begun
  ' watchdog $$ "$folder" "$__todo_bin/commands/TaskRelease" \
    <"$folder/end" >/dev/null 2>&1 {__todo_end}>&- &)
} 2>/dev/null

# Suggests an agent command for an unknown name. Bash runs this in a process of its own.
__todo_not_found() {
  unset -f command_not_found_handle
  case $1 in
    *[Tt][Oo][Dd][Oo]* | *[Tt][Aa][Ss][Kk]*)
      command "$__todo_node" "$__todo_bin/agent-shell.cjs" prompt-panel not-found "$1" >&2 2>/dev/null && return 127 ;;
  esac
  "$@" # Prints bash's own error.
}

# Loads the completions at the first Tab, and has bash try again.
__todo_complete() {
  local script
  script=$(\command "$__todo_node" "$__todo_bin/agent-shell.cjs" completions bash 2>/dev/null) &&
    builtin eval "$script" && return 124
}

# Runs after the user's files. $1 is their DEBUG trap.
__todo_begin() {
  local IFS=' ' attributes last hooks names=("$__todo_bin"/commands/*)
  complete -p TodoWrite >/dev/null 2>&1 || complete -F __todo_complete agent-shell "${names[@]##*/}"
  if ! declare -F command_not_found_handle >/dev/null; then
    command_not_found_handle() { __todo_not_found "$@"; }
  fi
  # Commands that change a list find this prompt by its process id; see src/prompt/prompt-shell.ts.
  export AGENT_SHELL_PROMPT=$$
  __todo_release_at_exit
  case ${TODO_PANEL:-auto} in
    auto | off | plain) ;;
    *) builtin printf "Warning: TODO_PANEL must be auto, off or plain, received '%s'; using auto\n" \
      "${TODO_PANEL//[![:print:]]/?}" >&2 ;;
  esac
  attributes=$(declare -p PROMPT_COMMAND 2>/dev/null)
  attributes=${attributes#declare }
  if [[ ${attributes%% *} = *r* ]]; then return 0; fi
  hooks=${PROMPT_COMMAND[*]-}
  # Some set their DEBUG trap at the first prompt.
  if [[ $1$hooks = *DEBUG* || $hooks = *__bp_* ||
    -n $hooks && $(builtin declare -f : ${hooks//[^[:alnum:]_-]/ }) = *DEBUG* ]]; then
    __todo_bound=1
    # A DEBUG trap, such as bash-preexec's, would take a later hook for the user's next command, so ours runs first. The panel is
    # written after the last hook, outside of the marks that VS Code puts around a command's output. The trap does not see that: a
    # function definition is no command, and printf runs in a subshell.
    __todo_waits=1
    PROMPT_COMMAND[0]=$__todo_hook${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
    last='{ __todo_last() { :; }; } 3>&2 2>/dev/null </dev/null"${__todo_late:+$(\builtin printf %s "$__todo_late" >&3)}"'
    if (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501 )); then
      PROMPT_COMMAND+=("$last")
    else
      PROMPT_COMMAND+=$'\n'$last
    fi
  elif (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501 )); then
    # Setting PROMPT_COMMAND later only replaces its first element.
    PROMPT_COMMAND[0]=${PROMPT_COMMAND[0]-}
    PROMPT_COMMAND+=("$__todo_hook")
  else
    PROMPT_COMMAND=${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}$__todo_hook
  fi
}

# Bash reads this file instead of ~/.bashrc; with an rc file or a profile to read, through ENV (see agent-shell.sh), and
# AGENT_SHELL_STARTUP says which.
__todo_startup=${AGENT_SHELL_STARTUP-}
unset AGENT_SHELL_STARTUP
if [[ -n $__todo_startup ]]; then
  set +o posix
  shopt -u inherit_errexit 2>/dev/null
  ENV=$AGENT_SHELL_ENV
  if [[ -z $ENV ]]; then unset ENV; fi
  unset AGENT_SHELL_ENV
  if [[ $HISTFILE = ~/.sh_history ]]; then HISTFILE=~/.bash_history; fi
  if [[ $MAILCHECK = 600 ]]; then MAILCHECK=60; fi
fi
if shopt -q login_shell; then
  if [[ $__todo_startup != none:* ]]; then
    if [[ -r /etc/profile ]]; then . /etc/profile; fi
    for __todo_startup in ~/.bash_profile ~/.bash_login ~/.profile; do
      if [[ -r $__todo_startup ]]; then
        . "$__todo_startup"
        break
      fi
    done
  fi
else
  case $__todo_startup in
    '') if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi ;;
    *:rc:*)
      # Debian's bash and its descendants read this file too.
      if [[ -r /etc/bash.bashrc ]]; then . /etc/bash.bashrc; fi
      __todo_startup=${__todo_startup#*:rc:}
      if [[ -r $__todo_startup ]]; then . "$__todo_startup"; fi ;;
  esac
fi
\unset __todo_startup

__todo_keep_path
if [[ -n ${BASH_EXECUTION_STRING+1} ]]; then
  \unset -f __todo_keep_path __todo_release_at_exit __todo_not_found __todo_complete __todo_begin
  \unset __todo_bin __todo_node __todo_kept
else
  __todo_begin "$(\builtin trap -p DEBUG)" || :
fi
