# Ends what a host that is gone has left behind: the session of processes that its bash leads, and its private
# directory, $1. Standard input tells of each bash, the living one last, until the host is gone: its process id, and
# its script, which stays open here, or bash would end with the host and its orphans were not known any more.
leader=
while read -r pid script; do
  leader=$pid
  exec 3<>"$1/$script"
done

# Sets `members`: the leader's session and the descendants of its processes, zombies left out. Empty without /proc.
find_members() {
  local stat text fields pid size=-1
  members=()
  while [ "${#members[@]}" -gt "$size" ]; do
    size=${#members[@]}
    for stat in /proc/[0-9]*/stat; do
      { IFS= read -r -d '' text <"$stat"; } 2>/dev/null
      [ -n "$text" ] || continue
      # pid (comm) state ppid pgrp session ...; comm may hold anything.
      pid=${text%% *} fields=(${text##*) })
      [ "${fields[0]}" = Z ] && continue
      if [ "${fields[3]}" = "$leader" ] || [ -n "${members[fields[1]]}" ]; then
        members[pid]=$pid
      fi
    done
  done
}

if [ -n "$leader" ]; then
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    find_members
    kill -9 -- "-$leader" "${members[@]}" 2>/dev/null || [ "${#members[@]}" -gt 0 ] || break
  done
fi
rm -rf -- "$1"
