#!/usr/bin/env bash
# The live page's cost for a gate: its CPU time and its clients' waiting time at 1,000 loads a second, with and without
# it.
#
#   PEERS_GATE=.build/release/atsgate Tests/Page/cost.sh [SECONDS [LOADS_PER_SECOND]]
#
# PEERS_GATE is the command, by default that of the debug build. Exit: 0; it checks no limits.
cd "$(dirname "$0")/../.." || exit

deadline_seconds=60
. Tests/Peers/preamble.sh cost

gate=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
ulimit -n "$(ulimit -Hn)"
"$gate" proxy --listen 127.0.0.1:0 --port-file "$work/port" --ca-dir "$work/gate" --store "$work/records.sqlite" \
    --web 127.0.0.1:0 --web-url-file "$work/url" --quiet >"$work/gate.log" 2>&1 &
running+=($!)
wait_for "$work/url" $!
wait_for "$work/port" $!
$python Tests/Page/cost.py "$(cat "$work/url")" "$(cat "$work/port")" $! "$@"
