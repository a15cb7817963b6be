# Cleans up after its host, process $2, has ended: kills the session of processes led by its bash, and removes its private
# directory, $1, in which the host makes the FIFO $3. It starts before the directory exists, and another may remove that.
leader= start= tries=0

# A host may remain as a zombie. The limit is for systems without /proc.
is_gone() {
  local text
  { IFS= read -r -d '' text <"/proc/$1/stat"; } 2>/dev/null
  if [ -n "$text" ]; then [[ ${text##*) } = Z* ]]; else [ $((tries += 1)) -gt 3000 ] || ! kill -0 "$1" 2>/dev/null; fi
}
# Opened to write, a missing FIFO would be made as a file, whose end says nothing. /dev/stdin, which would tell, needs /proc.
until { [ -p "$3" ] && exec <>"$3" && [ -p "$3" ]; } || is_gone "$2"; do sleep 0.02; done
# After the first line, the host has the FIFO open, and the end of the FIFO is that of the host.
until read -r -t 1 _ || is_gone "$2"; do :; done
# Bash reads `go`, and would end with its last writer: keep it open.
[ ! -p "$1/go" ] || exec 3<>"$1/go"
if ! { [ -p "$3" ] && exec <"$3"; }; then
  until is_gone "$2"; do sleep 1; done
  exec </dev/null
fi
# The next line is the process id of bash, and when it started.
while read -r pid since; do
  leader=$pid start=$since
done
# By now, another process may have this id.
{ IFS= read -r -d '' text <"/proc/$leader/stat"; } 2>/dev/null
fields=(${text##*) })
[ -z "$text" ] || [ "${fields[19]}" = "$start" ] || leader=

# Sets `members`: the leader's session, its orphans, and the descendants and sessions of all these, without zombies. Empty
# without /proc.
find_members() {
  local stat text fields pid orphans size=-1
  members=() orphans=()
  # Orphans have the folder on their PATH, or its FIFOs as outputs. So has a host that lives.
  while IFS=/ read -r _ _ pid _; do
    orphans[pid]=$pid
  done < <(grep -lsF -- "$1/bin" /proc/[0-9]*/environ
    find /proc/[0-9]*/fd \( -lname "$1/out*" -o -lname "$1/err*" \) 2>/dev/null)
  unset "orphans[$2]"
  while [ "${#members[@]}" -gt "$size" ]; do
    size=${#members[@]}
    for stat in /proc/[0-9]*/stat; do
      { IFS= read -r -d '' text <"$stat"; } 2>/dev/null
      [ -n "$text" ] || continue
      # pid (comm) state ppid pgrp session ...; comm may contain anything.
      pid=${text%% *} fields=(${text##*) })
      [ "${fields[0]}" = Z ] && continue
      if [ "${fields[3]}" = "$leader" ] || [ -n "${orphans[pid]}${members[fields[1]]}${members[fields[3]]}" ]; then
        members[pid]=$pid
      fi
    done
  done
}

# A host that was killed early has not sent the id of its bash, which is found by its outputs.
for _ in 1 2 3 4 5 6 7 8 9 10; do
  find_members "$1" "$2"
  kill -9 ${leader:+-- "-$leader"} "${members[@]}" 2>/dev/null || [ "${#members[@]}" -gt 0 ] || break
done
# A caller of an agent command that has not noticed the end yet may still create a file in it.
for _ in 1 2 3 4 5; do
  rm -rf -- "$1" 2>/dev/null && break
done
