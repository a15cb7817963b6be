# Read by the bash of `npm start` in place of ~/.bashrc: says what this is, once, and defines `demo`.
if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi

# Types the next of three lines, and runs it.
demo() {
  local lines=(
    'TodoWrite '\''{"todos":[{"content":"Fix login","activeForm":"Fixing login","status":"in_progress"},{"content":"Run tests","activeForm":"Running tests","status":"pending"}]}'\'
    'TodoWrite --done 1 --start 2'
    'TodoWrite --done 2'
  )
  local line=${lines[__start_step++ % 3]}
  printf '$ %s\n' "$line"
  eval "$line"
}

case ${LC_ALL:-${LC_CTYPE:-${LANG-}}} in
  *[Uu][Tt][Ff]*) __start_panel=$'┌─ Tasks ─────────────┐\n│ none yet            │\n└─────────────────────┘' ;;
  *) __start_panel=$'+- Tasks -------------+\n| none yet            |\n+---------------------+' ;;
esac
[[ -z $(TodoRead --line 2>/dev/null) ]] || __start_panel='This folder has a list already; TodoRead prints it.'
printf '%s\n' 'This is your bash, with TodoWrite and a panel of your tasks. Ctrl-D leaves.' \
  "$__start_panel" 'Type demo, three times, or paste a plan:' \
  "TodoWrite '{\"todos\":[{\"content\":\"Fix login\",\"activeForm\":\"Fixing login\",\"status\":\"in_progress\"}]}'"
unset __start_panel
