# Run by agent-shell with a line that names an agent command. Exit code 0: bash may misread the line, so Node should look at
# it. Nothing of the line is run.
line=$1
name='(TodoWrite|Task[A-Z][a-z]+)'
literal=$'(\'[^\']*\'|"([^"\\\\$`]|\\\\.)*"|\\\\.)+'

can_read() {
  "$BASH" -pn -O extglob -c "$1" 2>/dev/null
}

# JSON without quotes around it, or with quotes that end inside it: bash would read different words, or commands. A quote that
# ends it follows a bracket; one that is written '\'' or '"'"' does not end it.
json=$'[[{]|"[[:space:]]*[[{][[{[:space:]]*"|\'[[:space:]]*[[{]([^\']|\'\\\\\'\'|\'"\'"\')*[^]}\'[:space:]][[:space:]]*\'([^\\\\"]|$)'
bare=$'(^|[[:space:];&|(){}!])'$name$'([ \t]|\\\\\n)+('$json')'
[[ $line =~ $bare ]] && exit 0
can_read "$line" || exit 0

# What an eval will read: harnesses wrap lines in it. A literal word only expands to itself.
wrapped="eval[[:blank:]]+($literal)"
while [[ $line =~ $wrapped ]]; do
  line=${line#*"${BASH_REMATCH[0]}"}
  eval "text=${BASH_REMATCH[1]}"
  [[ $text =~ $name ]] && { [[ $text =~ $bare ]] || ! can_read "$text"; } && exit 0
done
exit 1
