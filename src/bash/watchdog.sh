# Cleans up after a host that is gone: kills the session of processes led by its bash, $2, and removes its private
# directory, $1. Standard input ends when the host is gone; descriptor 3 keeps bash waiting until then.
leader=$2
read -r

# Sets `members`: the leader's session, the descendants of its processes, and orphans that know the folder $1, without
# zombies. Empty without /proc.
find_members() {
  local stat text fields pid orphans size=-1
  members=() orphans=()
  # Orphans are recognized by the folder on their PATH, or by its FIFOs as their outputs.
  while IFS=/ read -r _ _ pid _; do
    orphans[pid]=$pid
  done < <(grep -lsF -- "$1/bin" /proc/[0-9]*/environ
    find /proc/[0-9]*/fd \( -lname "$1/[0-9]*/out*" -o -lname "$1/[0-9]*/err*" \) 2>/dev/null)
  while [ "${#members[@]}" -gt "$size" ]; do
    size=${#members[@]}
    for stat in /proc/[0-9]*/stat; do
      { IFS= read -r -d '' text <"$stat"; } 2>/dev/null
      [ -n "$text" ] || continue
      # pid (comm) state ppid pgrp session ...; comm may contain anything.
      pid=${text%% *} fields=(${text##*) })
      [ "${fields[0]}" = Z ] && continue
      if [ "${fields[3]}" = "$leader" ] || [ -n "${orphans[pid]}${members[fields[1]]}" ]; then
        members[pid]=$pid
      fi
    done
  done
}

if [ -n "$leader" ]; then
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    find_members "$1"
    kill -9 -- "-$leader" "${members[@]}" 2>/dev/null || [ "${#members[@]}" -gt 0 ] || break
  done
fi
# A caller of an agent command that has not noticed yet may still create a file in it.
for _ in 1 2 3 4 5; do
  rm -rf -- "$1" 2>/dev/null && break
done
