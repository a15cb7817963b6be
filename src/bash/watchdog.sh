# Ends what a host that is gone has left behind: the session of processes that its bash leads, and its private
# directory, $1. Standard input tells of each bash, the living one last, until the host is gone: its process id, and
# its script, which stays open here, so that bash does not end with the host before its descendants are known.
leader=
while read -r pid script; do
  leader=$pid
  exec 3<>"$1/$script"
done

# Sets `members`: the leader's session, the descendants of its processes, and all that is in a session with one of
# those, zombies left out. Adds to `sessions`, since the child of one that was killed meanwhile is known by that alone.
# And what has inherited bash's PATH: orphans in sessions of their own, of a bash that ended before this could look.
# Empty without /proc.
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
      if [ -n "${sessions[fields[3]]}" ] || [ -n "${members[fields[1]]}" ]; then
        members[pid]=$pid sessions[fields[3]]=known
      fi
    done
  done
  while IFS=/ read -r _ _ pid _; do
    members[pid]=$pid
  done < <(grep -slF -- "$1/bin" /proc/[0-9]*/environ)
}

sessions=()
[ -z "$leader" ] || sessions[leader]=known
for _ in 1 2 3 4 5 6 7 8 9 10; do
  find_members "$1"
  kill -9 -- ${leader:+"-$leader"} "${members[@]}" 2>/dev/null || [ "${#members[@]}" -gt 0 ] || break
done
rm -rf -- "$1"
