#!/usr/bin/env bash
# Checks that the README's picture matches the live page; `record` takes a new picture.
#
# PEERS_GATE is the command, by default that of the debug build. Exit: 0, or 1 with the differences.
cd "$(dirname "$0")/../.." || exit
deadline_seconds=60 missing_status=1
. Tests/Peers/preamble.sh picture

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.txt" 2>&1 || { cat "$work/build.txt" >&2 && exit 2; }
fi
TMPDIR=$work $python Tests/Page/picture.py "${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}" "$@"
