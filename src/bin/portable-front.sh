# Starts an agent command of a portable folder with the Node of that folder, also through a link in bin/. Any sh reads this.
file=$0
case $file in */*) ;; *) file=$(command -v "$file") ;; esac
while [ -h "$file" ] && ! [ -x "${file%/*}/../lib/node" ]; do
  link=$(PATH=$PATH:/usr/bin:/bin readlink "$file")
  case $link in /*) file=$link ;; *) file=${file%/*}/$link ;; esac
done
for node in "${file%/*}/../lib/node" "${file%/*}/../../../lib/node"; do
  [ -x "$node" ] && exec "$node" "$file" "$@"
done
echo "${0##*/}: its Node is not where the portable folder had it (lib/node)" >&2
exit 127
