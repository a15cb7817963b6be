# agent-shell runs this with a line that names an agent command. Exit code 0: bash may misread the line, so Node must read it.
# Nothing of the line is run.
line=$1
name='(TodoWrite|Task[A-Z][a-z]+)'
literal=$'(\'[^\']*\'|"([^"\\\\$`]|\\\\.)*"|\\\\.)+'

can_read() {
  "$BASH" -pn -O extglob -c "$1" 2>/dev/null
}

# JSON without quotes around it, or whose quotes end inside it. The closing quote follows a bracket; '\'' and '"'"' inside are
# quotes as they should be.
json=$'[[{]|"[[:space:]]*[[{][[{[:space:]]*"|\'[[:space:]]*[[{]([^\']|\'\\\\\'\'|\'"\'"\')*[^]}\'[:space:]][[:space:]]*\'([^\\\\"]|$)'
blanks=$'([ \t]|\\\\\n)+'
bare='(^|[[:space:];&|(){}!])'"$name($blanks--[a-z-]*([= ][[:alnum:]_.][[:alnum:]_.-]*)?)*$blanks((-$blanks)?<<<[[:blank:]]*)?($json)"
[[ $line =~ $bare ]] && exit 0
can_read "$line" || exit 0

# Harnesses wrap lines in eval. Evaluating its word is safe, since a literal word expands to itself.
wrapped="eval[[:blank:]]+($literal)"
while [[ $line =~ $wrapped ]]; do
  line=${line#*"${BASH_REMATCH[0]}"}
  eval "text=${BASH_REMATCH[1]}"
  [[ $text =~ $name ]] && { [[ $text =~ $bare ]] || ! can_read "$text"; } && exit 0
done
exit 1
