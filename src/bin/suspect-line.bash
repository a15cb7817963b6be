# Run by agent-shell with a line that names an agent command. Exit code 0: bash may not read it as it was meant, so that
# Node is to look at it. It runs nothing of the line.
line=$1
name='(TodoWrite|Task[A-Z][a-z]+)'
literal=$'(\'[^\']*\'|"([^"\\\\$`]|\\\\.)*"|\\\\.)+'

can_read() {
  "$BASH" -pn -O extglob -c "$1" 2>/dev/null
}

# JSON without quotes around it, or whose quotes end at a letter: bash would read other words, or commands.
bare=$'^[ \t]*'$name$'[ \t]+([[{]|"[[{]"|\'[[{][^\']*\'[[:alnum:]])'
[[ $line =~ $bare ]] && exit 0
can_read "$line" || exit 0

# What an eval will read, as harnesses put it around lines. A literal word expands to nothing but itself.
while [[ $line =~ eval[[:blank:]]+($literal) ]]; do
  line=${line#*"${BASH_REMATCH[0]}"}
  eval "text=${BASH_REMATCH[1]}"
  [[ $text =~ $name ]] && ! can_read "$text" && exit 0
done
exit 1
