#!/usr/bin/env bash
# Whether the README's picture still shows the live page as it is; with `record`, takes it anew.
#
# PEERS_GATE names the command; without it, the debug build's. Exit: 0, or 1 and what differs.
cd "$(dirname "$0")/../.." || exit
deadline_seconds=60 missing_status=1
. Tests/Peers/preamble.sh picture

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.txt" 2>&1 || { cat "$work/build.txt" >&2 && exit 2; }
fi
TMPDIR=$work $python Tests/Page/picture.py "${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}" "$@"
