#!/usr/bin/env bash
# A long run: 2,000 clients over HTTP/1, HTTP/2, tunnels and WebSockets, with faults and reloads, against a real gate.
#
#   Tests/Soak/soak.sh [SECONDS]        an hour without it
#   SOAK_CLIENTS=200 Tests/Soak/soak.sh 120
#
# Every minute the policy is reloaded, the lab stops for two seconds, nginx drops its connections, and each flawed
# origin of the lab is asked once. In the end it holds against each other what clients and gate have counted, and the
# gate's memory and descriptors in the last quarter of the run against those in the second.
# Exit: 0 when there is one record for each load and nothing has grown, 1 otherwise, 2 when it could not begin.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/../.."
PATH=$PATH:/usr/sbin
export PYTHONDONTWRITEBYTECODE=1

seconds=${1:-3600}
clients=${SOAK_CLIENTS:-2000}
deadline_seconds=60
here=Tests/Peers
python=/usr/bin/python3
[ -x $python ] || python=python3
ulimit -n "$(ulimit -Hn)"

work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-soak.XXXXXX")
running=()
clean_up() {
    local pid
    for pid in ${running[@]+"${running[@]}"}; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

wait_until() {
    local words=$1 pid=$2 end=$((SECONDS + deadline_seconds))
    shift 2
    until "$@" 2>/dev/null; do
        if ! kill -0 "$pid" 2>/dev/null || [ $SECONDS -ge $end ]; then
            echo "MISSING  $words" >&2
            tail -n 20 "$work"/*.log >&2
            exit 2
        fi
        sleep 0.05
    done
}
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

. $here/origins.sh
. Tests/Soak/clients.sh

bin=${SOAK_BIN:-}
if [ -z "$bin" ]; then
    swift build -c release --product atsgate
    swift build -c release --product loader
    bin=$(swift build -c release --show-bin-path)
fi
gate_program=$bin/atsgate

make_certificates
start_origins
start_lab
start_soaked_gate
echo "$clients clients for $seconds s; gate $gate, $(rss) KiB and $(files) descriptors at first"
start_clients
watch_gate
count_clients
wait_until "the last links to close" "$gate" no_more_than $((files_at_first + 8))
left=$(files)
kill "$gate"
wait "$gate" || echo "the gate ended with $?" >&2
wait_until "the tally" $$ test -s "$work/tally.json"
$python Tests/Soak/verdict.py "$work" "$left" "$files_at_first"
