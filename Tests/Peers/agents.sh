#!/usr/bin/env bash
# The tools for coding agents with the client of the protocol's own Python package, in both of its ways.
#
#   Tests/Peers/agents.sh
#
# Exit: 0 if everything passed, 1 at the first failure, 2 if it could not start.
cd "$(dirname "$0")/../.." || exit
deadline_seconds=60
. Tests/Peers/preamble.sh agents

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && exit 2; }
fi
atsgate=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
case $atsgate in /*) ;; *) atsgate=$PWD/$atsgate ;; esac
[ -d .build/mcp ] || { echo ".ci/install.sh peers installs the client" >&2 && exit 2; }

"$atsgate" lab --write-config "$work/lab.conf" >"$work/lab.txt" 2>"$work/lab.log" &
running+=("$!")
wait_for "$work/lab.conf" "$!"
PYTHONPATH=.build/mcp python3 Tests/Peers/agents.py "$atsgate" "$work"
