#!/usr/bin/env bash
# Real peers through a real gate: nginx, scripted origins, WebSocket libraries and a headless Chromium. Prints one line
# for each thing that was seen to work. Everything it makes is in a folder that goes away again.
#
#   Tests/Peers/peers.sh            everything
#   Tests/Peers/peers.sh loads      without the browser
#   PEERS_SLOW_BYTES=1073741824 PEERS_LOADS=5000 PEERS_GATE=.build/release/atsgate Tests/Peers/peers.sh loads
#
# Exit: 0 when everything was there, 1 at the first thing missing, 2 when it could not begin.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/../.."
PATH=$PATH:/usr/sbin
export PYTHONDONTWRITEBYTECODE=1

what=${1:-all}
deadline_seconds=30
here=Tests/Peers
# The packages of the system, not those of some other Python that comes first on PATH.
python=/usr/bin/python3
[ -x $python ] || python=python3

say() { printf '== %s\n' "$*"; }

work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-peers.XXXXXX")
running=()
clean_up() {
    local pid
    for pid in ${running[@]+"${running[@]}"}; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

# wait_until WORDS PID COMMAND...: until COMMAND holds; what PID writes is the only thing that can make it so.
wait_until() {
    local words=$1 pid=$2 end=$((SECONDS + deadline_seconds))
    shift 2
    until "$@" 2>/dev/null; do
        if ! kill -0 "$pid" 2>/dev/null || [ $SECONDS -ge $end ]; then
            echo "MISSING  $words" >&2
            tail -n 20 "$work"/*.log >&2
            exit 1
        fi
        sleep 0.05
    done
}
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

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
