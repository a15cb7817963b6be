#!/usr/bin/env bash
# in-copy.sh COMMAND...: runs a command in a temporary copy of this checkout. If root runs it, the command runs as an
# ordinary user who owns the copy.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d "${TMPDIR:-/tmp}/todowrite-copy-XXXXXX")
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' INT TERM

for path in "$root"/* "$root"/.[!.]*; do
  case ${path##*/} in
    .git | coverage) ;;
    .nodes | .examples) ln -s "$path" "$copy" ;; # large, and only read
    *) cp -a "$path" "$copy" ;;
  esac
done
mkdir "$copy/home"
cd "$copy"
as_user=()
if [ "$(id -u)" = 0 ]; then
  chown -R -h nobody "$copy"
  # It reads the rest of the system like any user.
  as_user=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi
${as_user[@]+"${as_user[@]}"} env -u TMPDIR HOME="$copy/home" "$@"
