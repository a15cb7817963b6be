#!/usr/bin/env bash
# in-copy.sh COMMAND...: runs a command in a copy of this checkout that goes with it. Where root runs it, the command is an
# ordinary user's, who owns the copy and little else.
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
  # It reads the rest of the system as anybody does.
  as_user=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi
${as_user[@]+"${as_user[@]}"} env -u TMPDIR HOME="$copy/home" "$@"
