#!/usr/bin/env bash
# Builds the commit in another folder, from nothing, and compares the program with .build/dist/atsgate bit for bit.
#
#   make release && .ci/reproducible.sh
#
# The other folder has another name, of as many bytes: where a closure is checked not to escape, optimised code of Swift 6.3
# has the length of the source's path in it (and an empty text instead of the path). Of the sources that is one,
# Database+Dump.swift of GRDB. Nothing else depends on the folder.
# Takes as long as a first build. Linux only: a signature is part of what a Mac builds.
# Exit: 0; 1 when the two differ, with where; 2 when there is nothing to compare with, or no such folder can be made.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

stop() {
    echo "reproducible: $*" >&2
    exit 2
}
here=$PWD/.build/dist/atsgate
[ -x "$here" ] || stop "there is no $here: make release"
git diff --quiet HEAD || stop "the tree has changes that no commit has"
built=$("$here" --version --verbose | sed -n 's/^commit *//p')
[ "${built%% *}" = "$(git rev-parse --short=12 HEAD)" ] || stop "$here is not of this commit but of $built"
work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-reproducible.XXXXXX")
there=
trap 'rm -rf "$work" ${there:+"$there"}' EXIT

base=/tmp/
room=$((${#PWD} - ${#base}))
[ $room -ge 3 ] || stop "no folder below $base has a name as short as $PWD"
there=$(mktemp -d "$base$(printf 'X%.0s' $(seq $room))")
git clone --quiet --no-local . "$there"
# The versions that were resolved here: their dependencies' own are not named in Package.swift.
cp Package.resolved "$there/"
"$there/.ci/release.sh" >"$work/build.txt" 2>&1 || { tail -n 40 "$work/build.txt" >&2 && exit 1; }
sha256sum "$here" "$there/.build/dist/atsgate"
if cmp "$here" "$there/.build/dist/atsgate"; then
    echo "the same bits from $PWD and $there"
    exit 0
fi
# Which bytes, and which sections differ in length or place, tell where to look.
cmp -l "$here" "$there/.build/dist/atsgate" | awk '
    NR <= 20 { printf "byte %x: %s %s\n", $1 - 1, $2, $3 } END { print NR " bytes differ" }' >&2 || true
readelf --sections --wide "$here" >"$work/here.txt"
readelf --sections --wide "$there/.build/dist/atsgate" >"$work/there.txt"
diff "$work/here.txt" "$work/there.txt" >&2 || true
exit 1
