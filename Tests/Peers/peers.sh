#!/usr/bin/env bash
# Real peers through a real gate: nginx, scripted origins, WebSocket libraries and a headless Chromium. Prints one line
# for each check that passes. All its files are in a folder that is deleted at the end.
#
#   Tests/Peers/peers.sh            everything
#   Tests/Peers/peers.sh loads      without the browser
#   PEERS_SLOW_BYTES=1073741824 PEERS_LOADS=5000 PEERS_GATE=.build/release/atsgate Tests/Peers/peers.sh loads
#
# Exit: 0 if everything passed, 1 at the first failure, 2 if it could not start.
cd "$(dirname "$0")/../.." || exit

what=${1:-all}
deadline_seconds=30 missing_status=1
here=Tests/Peers
. $here/preamble.sh peers
. $here/origins.sh
. $here/browser.sh

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.txt" 2>&1 || { cat "$work/build.txt" >&2 && exit 2; }
fi
gate_program=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
make_certificates
start_origins
start_gate

say "scripted clients and origins"
$python $here/loads.py "$gate_port" "$work/gate/ca-cert.pem" "$gate"
if [ "$what" = all ]; then
    say "$(chromium --version 2>/dev/null | head -n 1)"
    browse
fi

say "the records"
kill "$gate"
wait "$gate"
$python $here/records.py "$work/records.jsonl" "$what"
