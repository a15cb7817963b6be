# Read by the bash of `npm start` in place of ~/.bashrc: prints an introduction, and offers three lines to begin with.
__start_root=$PWD
if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi

# The command of this checkout, which need not be installed.
agent-shell() { "$__start_root/dist/bin/agent-shell.cjs" "$@"; }

__start_lines=(
  'TodoWrite '\''{"todos":[{"content":"Fix login","activeForm":"Fixing login","status":"in_progress"},{"content":"Run tests","activeForm":"Running tests","status":"pending"}]}'\'
  'TodoWrite --done 1 --start 2'
  'TodoWrite --done 2'
)

# Sets `line` to the next one for the current list.
__start_next() {
  __start_ends=
  case $(TodoRead --line 2>/dev/null) in
    '0/2 Fixing login'*) line=${__start_lines[1]} ;;
    '1/2 Running tests'*) line=${__start_lines[2]} __start_ends=1 ;;
    *) line=${__start_lines[0]} ;;
  esac
}

# Types that line, and runs it.
demo() {
  local line
  __start_next
  printf '$ %s\n' "$line"
  eval "$line"
}

# Tab on an empty line types it, too.
__start_complete() {
  local line
  __start_next
  COMPREPLY=("$line")
}
complete -E -o nospace -F __start_complete 2>/dev/null # bash 3.2 has no -E

# At the prompt after the last line: says what comes next.
__start_say() {
  local code=$? watch=agent-shell
  if [[ -n $__start_ends && $(TodoRead --line 2>/dev/null) = 2/2* ]]; then
    __start_ends=
    type -P agent-shell >/dev/null || watch=$__start_root/dist/bin/agent-shell.cjs
    printf '%s\n' 'To watch this list live, and those of agents, in a second terminal:' \
      "  cd $(printf %q "$PWD") && $(printf %q "$watch") watch" 'For your coding agent: agent-shell setup'
  fi
  return "$code"
}
__start_ends=
PROMPT_COMMAND="${PROMPT_COMMAND:+$PROMPT_COMMAND; }__start_say"

__start_now='A panel of your tasks appears below the prompt.'
[[ -z $(TodoRead --line 2>/dev/null) ]] || __start_now='This folder has a list already; TodoRead prints it.'
printf '%s\n' 'This is your bash, with TodoWrite. Ctrl-D leaves.' "$__start_now" \
  'Press Tab, then Enter, three times: Tab types the next line (or type demo).'
unset __start_now
