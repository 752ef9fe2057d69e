#!/usr/bin/env bash
# Builds the commit in another folder, from nothing, and compares the program with .build/dist/atsgate bit for bit.
#
#   make release && .ci/reproducible.sh
#
# Takes as long as a first build. Linux only: a signature is part of what a Mac builds.
# Exit: 0; 1 when the two differ, with where; 2 when there is nothing to compare with.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

here=$PWD/.build/dist/atsgate
[ -x "$here" ] || { echo "reproducible: there is no $here: make release" >&2 && exit 2; }
git diff --quiet HEAD || { echo "reproducible: the tree has changes that no commit has" >&2 && exit 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-reproducible.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Another path, of another length.
there="$work/somewhere else/the same sources"
git clone --quiet --no-local . "$there"
# The versions that were resolved here: their dependencies' own are not named in Package.swift.
cp Package.resolved "$there/"
"$there/.ci/release.sh" >"$work/build.txt" 2>&1 || { tail -n 40 "$work/build.txt" >&2 && exit 1; }
sha256sum "$here" "$there/.build/dist/atsgate"
if cmp "$here" "$there/.build/dist/atsgate"; then
    echo "the same bits from two folders"
    exit 0
fi
# Which sections differ in length or place tells where to look.
readelf --sections --wide "$here" >"$work/here.txt"
readelf --sections --wide "$there/.build/dist/atsgate" >"$work/there.txt"
diff "$work/here.txt" "$work/there.txt" >&2 || true
exit 1
