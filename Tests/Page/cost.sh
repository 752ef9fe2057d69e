#!/usr/bin/env bash
# What the live page costs a gate: its CPU time and its clients' waiting at 1,000 loads a second, with and without.
#
#   PEERS_GATE=.build/release/atsgate Tests/Page/cost.sh [SECONDS [LOADS_PER_SECOND]]
#
# PEERS_GATE names the command; without it, the debug build's. Exit: 0; it judges nothing.
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
