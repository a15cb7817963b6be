# agent-shell as a shell: adds the agent commands to PATH, then execs bash with the same arguments, or the one agent command that
# the line calls. It starts no process, which would take as long as bash itself. Node handles arguments of our own (`node_front`).
# The prefix of the variables keeps them apart from those that the caller exports.

# Adds the agent commands to PATH, unless they are there. Sets agent_shell_bash to the first bash on PATH that is not a copy of
# this program, and agent_shell_skipped if PATH finds a copy first.
search_path() {
  agent_shell_bash= agent_shell_skipped= agent_shell_commands=
  agent_shell_ifs=$IFS IFS=:
  for agent_shell_folder in $PATH; do
    # -f: a folder is executable too.
    [ -x "$agent_shell_folder/TodoWrite" ] && [ -f "$agent_shell_folder/TodoWrite" ] && agent_shell_commands=1
    [ -n "$agent_shell_bash" ] || look_for_bash
  done
  for agent_shell_folder in /bin /usr/bin /usr/local/bin; do
    [ -n "$agent_shell_bash" ] || { agent_shell_skipped=1; look_for_bash; }
  done
  IFS=$agent_shell_ifs
  [ -n "$agent_shell_bash" ] || {
    echo 'agent-shell: needs bash, but there is none on PATH' >&2
    exit 127
  }
  [ -n "$agent_shell_commands" ] || {
    find_bin
    export PATH="$PATH:$agent_shell_bin/commands"
  }
}

look_for_bash() {
  agent_shell_file=$agent_shell_folder/bash
  [ -x "$agent_shell_file" ] && [ -f "$agent_shell_file" ] || return
  ! [ "$agent_shell_file" -ef "$0" ] || { agent_shell_skipped=1; return; }
  case $agent_shell_folder in
    /bin | /usr/bin) ;;
    *)
      # Another copy of this program begins like a script.
      IFS= read -r agent_shell_first <"$agent_shell_file" 2>/dev/null
      case $agent_shell_first in '#!'*) agent_shell_skipped=1 && return ;; esac ;;
  esac
  agent_shell_bash=$agent_shell_file
}

# Finds the folder of this program behind links to it; behind npm's links without a process. Node takes `FOLDER/..` out of a
# path, which leads elsewhere if FOLDER is a link: there must be none in it.
find_bin() {
  [ -z "$agent_shell_bin" ] || return
  case $0 in
    /*) agent_shell_file=$0 ;;
    *) agent_shell_file=$PWD/$0 ;;
  esac
  agent_shell_folder=${agent_shell_file%/*}
  agent_shell_parent=${agent_shell_folder%/*}
  for agent_shell_bin in "$agent_shell_folder" "$agent_shell_parent/lib/node_modules/todowrite/dist/bin" \
    "$agent_shell_parent/todowrite/dist/bin" "$agent_shell_parent/dist/bin"; do
    case $agent_shell_bin in */..*) continue ;; esac
    [ "$agent_shell_bin/agent-shell.cjs" -ef "$0" ] && return
  done
  while [ -h "$agent_shell_file" ]; do
    agent_shell_link=$(PATH=$PATH:/usr/bin:/bin readlink "$agent_shell_file")
    case $agent_shell_link in
      /*) agent_shell_file=$agent_shell_link ;;
      *) agent_shell_file=${agent_shell_file%/*}/$agent_shell_link ;;
    esac
  done
  agent_shell_bin=$(cd -P "${agent_shell_file%/*}" && pwd)
}

# Execs bash with its plain name as $0, which begins its messages.
become_bash() {
  agent_shell_name=bash agent_shell_found=
  case ${0##*/}:$agent_shell_skipped in
    sh:*) agent_shell_name=sh ;;
    *:) exec_bash bash "$@" ;;
    *)
      # In a line of -c, the name is the next argument.
      [ "$agent_shell_line_words" != 1 ] || set -- "$@" bash
      [ -z "$agent_shell_line_words" ] || exec_bash "$agent_shell_bash" "$@" ;;
  esac
  # The bash between would warn of an unknown locale, too, and drop the prompts.
  [ -z "${agent_shell_prompts-}" ] || find_variables '^PS[12]='
  eval "set -- $agent_shell_found"' ${LC_ALL+"LC_ALL=$LC_ALL"} "" "$@"'
  export LC_ALL=C
  exec_bash "$agent_shell_bash" -p -c '{
    unset LC_ALL; while [ -n "$1" ]; do export "$1"; shift; done
  } 2>/dev/null; exec -a "$0" "$BASH" "${@:2}"' "$agent_shell_name" "$@"
}

# Execs a program with the environment that we got. Under the name of bash, that has the variables that other shells drop: those
# whose names are no identifiers, as of exported functions, and prompts.
exec_bash() {
  # As sh, bash adds to an exported SHELLOPTS what is set in this script.
  case $agent_shell_flags in *f*) ;; *) set +f ;; esac
  case ${BASH_VERSION-} in
    4.4* | [5-9]*) eval 'case ${SHELLOPTS@a}:${POSIXLY_CORRECT@a} in *x*:*x*) ;; *x*:*)
      find_variables "^SHELLOPTS=.*posix"; [ -n "$agent_shell_found" ] || set +o posix ;; esac' ;;
  esac
  case ${agent_shell_prompts-}:${0##*/}:${BASH_VERSION-} in
    1:* | :bash: | :sh:)
      find_variables '^[^=]*[^A-Za-z0-9_=][^=]*=\|^PS[12]='
      [ -z "$agent_shell_found" ] || eval "set -- env $agent_shell_found"'"$@"' ;;
  esac
  exec "$@"
}

# Sets agent_shell_found to the variables of our environment that match a pattern, as quoted words.
find_variables() {
  agent_shell_found=
  LC_ALL=C PATH=$PATH:/usr/bin:/bin grep -qz "$1" /proc/$$/environ || return 0
  agent_shell_found=$(export LC_ALL=C PATH="$PATH:/usr/bin:/bin"
    tr '\n\0' '\37\n' </proc/$$/environ | sed -n "/$1/{s/'/'\\\\''/g; s|.*|'&'|p;}" | tr '\37\n' '\n ')
} 2>/dev/null

# Runs a line that is one agent command without bash: bare words, and perhaps one in single quotes at the end. Returns if it is
# another line.
run_directly() {
  agent_shell_words=${1%%" '"*}
  agent_shell_quoted=${1#"$agent_shell_words"}
  case $agent_shell_words in *[!A-Za-z0-9_@%+=:,./\ -]*) return ;; esac
  case $agent_shell_quoted in
    '') set -- $agent_shell_words ;;
    " '"*\'?*) return ;;
    " '"*\')
      agent_shell_quoted=${agent_shell_quoted#" '"}
      set -- $agent_shell_words "${agent_shell_quoted%\'}" ;;
    *) return ;;
  esac
  find_bin
  [ -f "$agent_shell_bin/commands/$1" ] || return 0
  search_path
  exec "$@"
}

agent_shell_bin=
# Bash reads these first.
case ${1-}:${BASH_ENV-}${SHELLOPTS-}:${2-} in
  -c::Todo[RW]* | -c::Task[A-Z]*) run_directly "$2" ;;
esac
case ${1-}:${2-} in
  -c:[-+]* | -c: | -c:*TodoWrite* | -c:*Task[A-Z]*) ;;
  # The usual call of a harness. The shell does not read the rest of this file.
  -c:*)
    search_path
    [ "${0##*/}" != sh ] || become_bash "$@"
    # The next argument is $0 of the line.
    [ $# -gt 2 ] || set -- "$@" bash
    exec_bash "$agent_shell_bash" "$@" ;;
esac

# Finds the Node of a portable folder (scripts/portable.js), else the one on PATH. Fails if there is none.
find_node() {
  find_bin
  agent_shell_node=$agent_shell_bin/../../lib/node
  [ -x "$agent_shell_node" ] || agent_shell_node=node
  command -v "$agent_shell_node" >/dev/null
}

node_front() {
  find_node || {
    # A failure must not disturb the coding agent.
    [ "${1-}" != hook ] || exit 0
    echo 'agent-shell: needs Node 20.19 or newer, but there is no node on PATH' >&2
    exit 127
  }
  # Node raises this limit for itself and its children.
  case " $* " in *' --jsonl '*) export AGENT_SHELL_OPEN_FILES="$(ulimit -S -n)" ;; esac
  # The title tells agent-shell.ts not to exec this script again.
  exec "$agent_shell_node" --title=agent-shell "$0" "$@"
}

# Exports our options, which come before bash's arguments, and counts them in agent_shell_own. Fails if the arguments are wrong
# or not for bash: Node handles those (src/cli/arguments.ts).
own_options() {
  agent_shell_own=$#
  while :; do
    agent_shell_word=${1-}
    case $agent_shell_word in --session | --agent | --panel) agent_shell_word=$1=${2-} && shift ;; esac
    case $agent_shell_word in
      --session=?*) export TODO_SESSION="${agent_shell_word#*=}" ;;
      --agent=?*) export TODO_AGENT="${agent_shell_word#*=}" ;;
      --panel=auto | --panel=off | --panel=plain) export TODO_PANEL="${agent_shell_word#*=}" ;;
      --no-panel) export TODO_PANEL=off ;;
      --jsonl | --prompt | --tasks | --mend | --help | --version) return 1 ;;
      watch | setup | hook | prime | state | sessions | completions) return 1 ;;
      help) [ -e "$1" ] || return 1; break ;;
      # No options of bash: ours, or misspelled ones, for which Node suggests one.
      --j* | --s* | --a* | --t* | --pa* | --prom* | --no-*) return 1 ;;
      -h) [ $# -gt 1 ] || return 1; break ;;
      *[!a-z]*) break ;;
      wa* | se* | sta* | com* | pr* | json*)
        [ -e "$1" ] || command -v "$1" >/dev/null ||
          printf 'agent-shell: no script %s; subcommands:\nwatch, sessions, setup, state, prime, completions; options: --prompt, --jsonl\n' "$1" >&2
        break ;;
      *) break ;;
    esac
    shift
  done
  agent_shell_own=$((agent_shell_own - $#))
}

# Reads bash's arguments as bash does.
read_arguments() {
  agent_shell_line= agent_shell_line_words= agent_shell_login= agent_shell_rc= agent_shell_profile=
  agent_shell_options= agent_shell_posix=${POSIXLY_CORRECT+1}
  while [ $# -gt 0 ]; do
    case $1 in
      -- | -) shift && break ;;
      --login | -login) agent_shell_login=1 ;;
      --rcfile | -rcfile | --init-file | -init-file) agent_shell_rc=rc:${2-} && shift ;;
      --norc | -norc) agent_shell_rc=none ;;
      --noprofile | -noprofile) agent_shell_profile=none ;;
      --posix | -posix) agent_shell_posix=1 ;;
      --session* | --agent* | --panel* | --no-panel)
        printf "agent-shell: %s must come before bash's options;\nsee agent-shell --help\n" "$1" >&2; exit 2 ;;
      --*) ;;
      [-+]*[oO]*)
        case ${2-} in posix) agent_shell_posix=1 ;; esac
        [ $# -gt 1 ] && agent_shell_options="$agent_shell_options$1" && shift ;;
      [-+]*) agent_shell_options="$agent_shell_options$1" ;;
      *) break ;;
    esac
    [ $# -gt 0 ] && shift
  done
  case $agent_shell_options in *l*) agent_shell_login=1 ;; esac
  case $agent_shell_options in
    *c*) [ $# -eq 0 ] || { agent_shell_line_words=$# agent_shell_line=$1; } ;;
    *s*) set -- ;;
  esac
  case $agent_shell_options in
    *i*) agent_shell_prompts=1 ;;
    *c*) agent_shell_prompts= ;;
    *) [ $# -eq 0 ] && [ -t 0 ] && [ -t 2 ] && agent_shell_prompts=1 || agent_shell_prompts= ;;
  esac
}

# Succeeds if the JSON of an agent command in the line of -c may have broken quotes, so that bash would misread the line.
is_suspect() {
  case $agent_shell_line in *TodoWrite* | *Task[A-Z]*) ;; *) return 1 ;; esac
  # The usual form is safe: one pair of quotes, and no quote inside.
  case ${agent_shell_line#"TodoWrite '"} in
    "$agent_shell_line" | *\'?*) ;;
    *\') return 1 ;;
  esac
  "$agent_shell_bash" -p "$agent_shell_bin/suspect-line.bash" "$agent_shell_line" 2>/dev/null
}

# Asks Node about a suspect line. Sets agent_shell_mended or agent_shell_hint.
look_at_line() {
  find_node || return 0
  agent_shell_said=$("$agent_shell_node" --title=agent-shell "$0" --mend "$agent_shell_line"; echo " $?")
  case ${agent_shell_said##* } in
    0) agent_shell_mended=${agent_shell_said% *} ;;
    3) agent_shell_hint=${agent_shell_said% *} ;;
  esac
}

agent_shell_own=0
case ${0##*/}:${1-} in
  # Under bash's own name, all arguments are bash's.
  bash:* | sh:* | *:-c) ;;
  *) own_options "$@" || node_front "$@" ;;
esac
shift $agent_shell_own
read_arguments "$@"
search_path
find_bin
if [ -n "$agent_shell_prompts" ]; then
  # AGENT_SHELL_PROMPT is still set after `exec agent-shell`, and would mean that this shell was replaced (src/prompt/prompt-shell.ts).
  [ -n "$agent_shell_line_words" ] || unset AGENT_SHELL_PROMPT
  if [ -z "$agent_shell_rc$agent_shell_login" ]; then
    set -- --rcfile "$agent_shell_bin/interactive.bash" "$@"
  elif [ -z "$agent_shell_posix" ] && [ "${0##*/}" != sh ] &&
    "$agent_shell_bash" -p -c 'exit $((BASH_VERSINFO[0] < 4))' 2>/dev/null; then
    # A login shell reads no rc file, and a given one must not be replaced. But in POSIX mode bash reads only $ENV: our file
    # leaves that mode and reads the files that bash would have read.
    export AGENT_SHELL_STARTUP="${agent_shell_login:+$agent_shell_profile}:$agent_shell_rc"
    export AGENT_SHELL_ENV="${ENV-}" ENV="$agent_shell_bin/interactive.bash"
    set -- --posix "$@"
  fi
elif [ -n "$agent_shell_login" ]; then
  # Read after the profile, which resets PATH on many systems.
  case ${0##*/}:$agent_shell_posix:$agent_shell_options in
    sh:* | *:1:* | *:*:*p*) ;; # Bash would not read it.
    *) export AGENT_SHELL_BASH_ENV="${BASH_ENV-}" BASH_ENV="$agent_shell_bin/after-profile.bash" ;;
  esac
fi
agent_shell_mended= agent_shell_hint=
is_suspect && look_at_line
[ -z "$agent_shell_mended" ] || for agent_shell_word; do
  shift
  if [ "$agent_shell_word" = "$agent_shell_line" ] && [ -n "$agent_shell_mended" ]; then
    agent_shell_word=$agent_shell_mended agent_shell_mended=
  fi
  set -- "$@" "$agent_shell_word"
done
[ -n "$agent_shell_hint" ] || become_bash "$@"
case $agent_shell_line in
  # Bash runs what comes before the error, and must replace this process for that.
  *'
'* | *eval*) printf %s "$agent_shell_hint" >&2 && become_bash "$@" ;;
esac
# Bash's own syntax error comes first.
(become_bash "$@")
agent_shell_status=$?
printf %s "$agent_shell_hint" >&2
exit $agent_shell_status
