# Passes this call of an agent command to its agent shell, and prints the reply. The caller's settings must not change that:
# -p ignores exported functions and options, the next lines reset the rest.
[ -n "$BASH_VERSION" ] || exec bash -p "$0" "$@"
{ set +efux +o posix; } 2>/dev/null
# For checks: bash commands that restore the caller's directory and environment. They are written and read in the C locale:
# in GBK a backslash may be half a character.
directory= surroundings=
case ${0##*/} in
  TodoProve | TaskProve) directory=$PWD surroundings=$(
    locale=${LC_ALL-}
    LC_ALL=C
    printf 'cd -- %q || exit\n{\n' "$PWD"
    export -p
    printf 'LC_ALL=%q\n} 2>/dev/null\n' "$locale"
  ) ;;
esac
unset -v TMOUT GLOBIGNORE
trap '' PIPE
LC_ALL=C
PATH=$PATH:/usr/bin:/bin
name=${0##*/}
# A group, so that bash reads all of it first: with few descriptors, it reads this file from 6 or 7.
{
# 6 and 7 are the caller's error and output. Bash's own error messages are dropped.
exec 6>&2 || exec 6>/dev/null
exec 2>/dev/null
exec 7>&1 || exec 7>&-
# noclobber, for slots. Not earlier: on broken machines /dev/null is a plain file.
set -C
fail() {
  printf '%s: %s\n' "$name" "$1" >&6
  exit "${2-1}"
}
lost() { fail 'its agent shell has ended'; }
# After exit code 1 a model would repeat a change. a: the exit code of the call; $1: of head, from 129 on a signal's.
# {isChange} is true in the scripts of commands that change lists. Help changes none.
unwritten() {
  [ "$1" -le 128 ] || exit "$1"
  for word; do case $word in -h | --help | --version) a=1 ;; esac; done
  [ "{isChange}$a" = true0 ] || fail 'write error'
  fail 'write error; any change is stored' 0
}

# All paths below are relative, so they hold even if the path of this directory is replaced.
cd -- "${0%/*}/.." || lost
[ -O . ] || fail 'the folder of its agent shell belongs to another user'

# Takes the first free slot by creating its file `taken`, sends the call, and reads the first line of the reply.
call() {
  reached=
  for slot in slots/*; do
    : >"$slot/taken" && break
  done || return
  reached=1
  # Opening one end of a FIFO would wait for the other; <> opens both, or makes a file. 4 is reused, to need few descriptors.
  [ -p "$slot/in" ] && [ -p "$slot/out" ] &&
    exec 4<>"$slot/in" && exec >|"$slot/in" && exec 4<>"$slot/out" && exec 4<"$slot/out" &&
    printf '%s\0' "$name" "${TODO_SESSION+=$TODO_SESSION}" "${TODO_AGENT+=$TODO_AGENT}" \
      "${TODO_TEAM+=$TODO_TEAM}" "${TODO_TASK_LIST+=$TODO_TASK_LIST}" "$directory" "$surroundings" "$PPID" "$#" "$@" &&
    IFS=' ' read -r -u 4 kind a b c
}

# Asks for a slot and waits for a byte. The read fails if the host is gone, since only the host has the other end open.
knock() {
  [ -p door ] && exec 4<>door && exec 4<door && printf . 1<>knock && IFS= read -r -u 4 -n 1 _
}

tries=0
until call "$@"; do
  [ $((tries += ${reached:-0} * 99 + 1)) -le 1000 ] ||
    fail 'its agent shell cannot be reached: no file descriptor or no disk space is left'
  knock || lost
done

while :; do
  case $kind in
    # a: where to stop, one byte above the limit; b: the mark that ends it
    stdin)
      # Short input is read here, since starting head(1) takes longer. From a terminal, read would take single keys.
      text=
      if [ ! -t 0 ] && ! IFS= read -r -d '' -n 4096 text; then
        printf %s "$text$b"
      else
        size=${#text}
        printf %s "$text"
        # read stopped at a NUL, and dropped it.
        [ -t 0 ] || [ "$size" = 4096 ] || { printf '\0'; size=$((size + 1)); }
        head -c "$((a - size))"
        printf %s "$b"
      fi || lost ;;
    # a: exit code; b, c: bytes of errors and of output
    text)
      err= out= exactly=-N
      [ "$BASH_VERSINFO" -gt 3 ] || exactly=-n
      [ "$b" = 0 ] || IFS= read -r -u 4 -d '' "$exactly" "$b" err
      [ "$c" = 0 ] || IFS= read -r -u 4 -d '' "$exactly" "$c" out
      [ "${#err}" = "$b" ] && [ "${#out}" = "$c" ] || lost
      printf .
      trap - PIPE
      # Output must not end up in the slot, even if the caller has none open.
      exec >&7 || exec >&-
      exec 4<&-
      [ "$b" = 0 ] || printf %s "$err" >&6
      printf %s "$out" && exit "$a"
      unwritten 1 "$@" ;;
    # a, b, c: as for text
    bytes)
      # Some head(1) read ahead, so the host sends each part on request, and `end` when it is complete.
      # The trap is not reset in a subshell: bash 4.2 does not pass that on.
      trap - PIPE
      [ "$b" = 0 ] || head -c "$b" <&4 >&6 2>&6 || exit
      trap '' PIPE
      printf . || lost
      trap - PIPE
      [ "$c" = 0 ] || head -c "$c" <&4 >&7 || unwritten $? "$@"
      trap '' PIPE
      printf . || lost
      read -r -u 4 kind && [ "$kind" = end ] || lost
      printf .
      exit "$a" ;;
    *) lost ;;
  esac
  IFS=' ' read -r -u 4 kind a b c || lost
done
}
