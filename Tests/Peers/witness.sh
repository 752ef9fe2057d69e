#!/usr/bin/env bash
# Clients of many kinds, each known to accept or to reject an origin, with the lab and a gate in witness mode: the
# gate's records must match the clients' behavior. Chromium is required; others are used if they are installed.
#
#   Tests/Peers/witness.sh
#   PEERS_GATE=.build/release/atsgate Tests/Peers/witness.sh
#
# Exit: 0 if all is right, 1 if not, 2 if it could not start.
cd "$(dirname "$0")/../.." || exit

deadline_seconds=60 missing_status=2
here=Tests/Peers
. $here/preamble.sh witness

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.txt" 2>&1 || { cat "$work/build.txt" >&2 && exit 2; }
fi
program=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
export XDG_DATA_HOME=$work/data

"$program" lab --write-config "$work/lab.conf" >"$work/lab.log" 2>&1 &
running+=($!)
wait_for "$work/lab.conf" $!
"$program" proxy --config "$work/lab.conf" --mode witness --listen 127.0.0.1:0 --port-file "$work/port" --web off \
    --json "$work/loads.jsonl" --store none --console none >"$work/gate.log" 2>&1 &
gate=$!
running+=("$gate")
wait_for "$work/port" "$gate"

say "clients and a gate that only watches"
$python $here/witness.py "$(cat "$work/port")" "$work" "$work/lab.conf.pem"
say "its end"
kill "$gate"
wait "$gate"
grep -A 99 'witness:' "$work/gate.log"
