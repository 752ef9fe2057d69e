#!/usr/bin/env bash
# Builds the commit from scratch in another folder, and compares the program with .build/dist/atsgate bit for bit.
#
#   make release && .ci/reproducible.sh
#
# The other folder's path has another name of the same length. The reason: where a closure is checked not to escape,
# optimised code of Swift 6.3 contains the length of the source's path (with an empty text instead of the path). Among
# the sources only Database+Dump.swift of GRDB has such code. Nothing else depends on the folder. Takes as long as a
# clean build. Linux only: on a Mac, the build contains a signature.
# Exit: 0; 1 with the differing places; 2 if there is nothing to compare with, or no such folder can be made.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

stop() {
    echo "reproducible: $*" >&2
    exit 2
}
here=$PWD/.build/dist/atsgate
[ -x "$here" ] || stop "$here does not exist: run make release"
git diff --quiet HEAD || stop "the tree has uncommitted changes"
built=$("$here" --version --verbose | sed -n 's/^commit *//p')
[ "${built%% *}" = "$(git rev-parse --short=12 HEAD)" ] || stop "$here was built from $built, not from this commit"
work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-reproducible.XXXXXX")
there=
trap 'rm -rf "$work" ${there:+"$there"}' EXIT

base=/tmp/
room=$((${#PWD} - ${#base}))
[ $room -ge 3 ] || stop "the path of no folder below $base can be as short as $PWD"
there=$(mktemp -d "$base$(printf 'X%.0s' $(seq $room))")
git clone --quiet --no-local . "$there"
# The versions resolved here, because Package.swift does not pin the dependencies' own dependencies.
cp Package.resolved "$there/"
"$there/.ci/release.sh" >"$work/build.txt" 2>&1 || { tail -n 40 "$work/build.txt" >&2 && exit 1; }
sha256sum "$here" "$there/.build/dist/atsgate"
if cmp "$here" "$there/.build/dist/atsgate"; then
    echo "identical builds in $PWD and $there"
    exit 0
fi
# The differing bytes and sections help to find the cause.
cmp -l "$here" "$there/.build/dist/atsgate" | awk '
    NR <= 20 { printf "byte %x: %s %s\n", $1 - 1, $2, $3 } END { print NR " bytes differ" }' >&2 || true
readelf --sections --wide "$here" >"$work/here.txt"
readelf --sections --wide "$there/.build/dist/atsgate" >"$work/there.txt"
diff "$work/here.txt" "$work/there.txt" >&2 || true
exit 1
