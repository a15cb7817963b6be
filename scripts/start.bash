# Read by the bash of `npm start` in place of ~/.bashrc: prints an introduction, and offers three lines to begin with.
if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi

__start_lines=(
  'TodoWrite '\''{"todos":[{"content":"Fix login","activeForm":"Fixing login","status":"in_progress"},{"content":"Run tests","activeForm":"Running tests","status":"pending"}]}'\'
  'TodoWrite --done 1 --start 2'
  'TodoWrite --done 2'
)

# Sets `line` to the next one for the current list.
__start_next() {
  case $(TodoRead --line 2>/dev/null) in
    '0/2 Fixing login'*) line=${__start_lines[1]} ;;
    '1/2 Running tests'*) line=${__start_lines[2]} ;;
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

case ${LC_ALL:-${LC_CTYPE:-${LANG-}}} in
  *[Uu][Tt][Ff]*) __start_panel=$'┌─ Tasks ─────────────┐\n│ none yet            │\n└─────────────────────┘' ;;
  *) __start_panel=$'+- Tasks -------------+\n| none yet            |\n+---------------------+' ;;
esac
[[ -z $(TodoRead --line 2>/dev/null) ]] || __start_panel='This folder has a list already; TodoRead prints it.'
printf '%s\n' 'This is your bash, with TodoWrite and a panel of your tasks. Ctrl-D leaves.' \
  "$__start_panel" 'Press Tab, then Enter, three times: Tab types the next line (or type demo).'
unset __start_panel
