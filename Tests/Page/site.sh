#!/usr/bin/env bash
# The site in a headless Chromium, as wide as a phone: every article and the start page without a part that scrolls
# sideways, and the search for pasted lines.
#
# PEERS_GATE is the command, by default that of the debug build. Exit: 0, or 1 with the differences.
cd "$(dirname "$0")/../.." || exit
deadline_seconds=60 missing_status=1
. Tests/Peers/preamble.sh site

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.txt" 2>&1 || { cat "$work/build.txt" >&2 && exit 2; }
fi
site/site.py "${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}"
TMPDIR=$work $python Tests/Page/site.py .build/site/html
