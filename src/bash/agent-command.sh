# Hands this call of an agent command to the agent shell that it belongs to, and gives back what comes from there.
# Options and variables of the caller do not reach it (-p); nothing of it may reach a trace (bash -x would show the key).
{ set +x; } 2>/dev/null
LC_ALL=C
name=${0##*/}
lost() {
  printf '%s: the agent shell that this command belongs to is gone\n' "$name" >&2
  exit 1
}
{ IFS=' ' read -r port key <"${0%/*}/../host"; } 2>/dev/null || lost
{ exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || lost
trap '' PIPE
printf '%s\0' "$key" "$name" "$#" "$@" 2>/dev/null >&3 || lost
trap - PIPE
while IFS=' ' read -r kind a b c <&3 2>/dev/null; do
  case $kind in
    stdin) # a: where to stop, one byte above the limit; b: the mark that ends it
      # What is short is read here: to start head(1) takes longer. From a terminal, read would take single keys.
      text=
      if [ ! -t 0 ] && ! IFS= read -r -d '' -n 4096 text; then
        printf %s "$text$b"
      else
        size=${#text}
        printf %s "$text"
        # It was read up to a NUL, which is no part of it.
        [ -t 0 ] || [ "$size" = 4096 ] || { printf '\0'; size=$((size + 1)); }
        head -c "$((a - size))"
        printf %s "$b"
      fi >&3 2>/dev/null || lost ;;
    text) # a: exit code; b, c: bytes of output and of errors
      { IFS= read -r -N "$b" -u 3 out; IFS= read -r -N "$c" -u 3 err; } 2>/dev/null
      [ "${#out}" = "$b" ] && [ "${#err}" = "$c" ] || lost
      exec 3>&-
      printf %s "$err" >&2
      printf %s "$out" 2>/dev/null && exit "$a"
      printf '%s: write error\n' "$name" >&2
      exit 1 ;;
    bytes) # the same, where bash's own variables could not hold it; a line at the end says that it is whole
      head -c "$b" <&3 && head -c "$c" <&3 >&2 || exit 1
      read -r kind <&3 2>/dev/null && [ "$kind" = end ] && exit "$a"
      lost ;;
  esac
done
lost
