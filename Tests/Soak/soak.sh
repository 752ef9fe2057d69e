#!/usr/bin/env bash
# A long run: 2,000 clients over HTTP/1, HTTP/2, tunnels and WebSockets, with faults and reloads, against a real gate.
#
#   Tests/Soak/soak.sh [SECONDS]        an hour by default
#   SOAK_CLIENTS=200 Tests/Soak/soak.sh 120
#
# Every minute the policy is reloaded, the lab stops for two seconds, nginx drops its connections, each flawed server of
# the lab gets one request, and 70 loads meet certificate chains of the maximum length. At the end it compares the
# counts of clients and gate, and the gate's memory and descriptors in the last quarter of the run with those in the
# second.
# Exit: 0 if there is one record for each load and nothing has grown, 1 otherwise, 2 if it could not start.
cd "$(dirname "$0")/../.." || exit

seconds=${1:-3600}
clients=${SOAK_CLIENTS:-2000}
deadline_seconds=60
here=Tests/Peers
ulimit -n "$(ulimit -Hn)"
. $here/preamble.sh soak
. $here/origins.sh
. Tests/Soak/clients.sh

bin=${SOAK_BIN:-}
gate_program=$bin/atsgate
if [ -z "$bin" ]; then
    .ci/release.sh
    swift build -c release --product loader
    bin=$(swift build -c release --show-bin-path)
    gate_program=.build/dist/atsgate
fi

make_certificates
start_origins
start_lab
start_soaked_gate
echo "$clients clients for $seconds s; gate $gate, $(rss) KiB and $(files) descriptors at the start"
start_clients
watch_gate
count_clients
wait_until "the last links to close" "$gate" no_more_than $((files_at_first + 8))
left=$(files)
kill "$gate"
wait "$gate" || echo "the gate ended with exit code $?" >&2
wait_until "the tally" $$ test -s "$work/tally.json"
$python Tests/Soak/verdict.py "$work" "$left" "$files_at_first"
