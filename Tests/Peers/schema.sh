#!/usr/bin/env bash
# The records of a real gate, held against docs/record.schema.json: the lab's flawed origins, enforced and audited, a host
# that does not exist, a client that ATS does not govern.
#
#   Tests/Peers/schema.sh
#   PEERS_GATE=.build/release/atsgate Tests/Peers/schema.sh
#
# Exit: 0 when every record fits, 1 when one does not, 2 when it could not begin.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/../.."
export PYTHONDONTWRITEBYTECODE=1
deadline_seconds=120

# Whichever Python has the validator.
python=
for candidate in /usr/bin/python3 python3; do
    if $candidate -c 'import jsonschema' 2>/dev/null; then python=$candidate && break; fi
done
[ -n "$python" ] || { echo "schema: no Python with jsonschema; see .ci/install.sh peers" >&2 && exit 2; }

work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-schema.XXXXXX")
running=()
clean_up() {
    local pid
    for pid in ${running[@]+"${running[@]}"}; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

# Waits until file $1 has content, which process $2 writes.
wait_for() {
    local end=$((SECONDS + deadline_seconds))
    until [ -s "$1" ]; do
        if ! kill -0 "$2" 2>/dev/null || [ $SECONDS -ge $end ]; then
            cat "$work"/*.log >&2
            exit 2
        fi
        sleep 0.05
    done
}

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && exit 2; }
fi
gate_program=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}

"$gate_program" lab --write-config "$work/lab.conf" >"$work/lab.txt" 2>"$work/lab.log" &
running+=("$!")
wait_for "$work/lab.conf" "$!"

# round NAME OPTION...: every load of the lab and a few of our own through a gate with these options.
round() {
    local name=$1 gate url proxy
    shift
    "$gate_program" proxy --config "$work/lab.conf" --policy config/dictionaries/one-exception-domain.plist \
        --listen "127.0.0.1:0,label=$name" --port-file "$work/$name.port" --ca-dir "$work/ca" --store none \
        --json "$work/$name.jsonl" "$@" \
        2>"$work/$name.log" &
    gate=$!
    running+=("$gate")
    wait_for "$work/$name.port" "$gate"
    proxy="http://127.0.0.1:$(cat "$work/$name.port")"
    {
        tail -n +2 "$work/lab.txt" | awk '{ print $1 }'
        echo "https://nowhere.invalid/?token=secret"
    } | while read -r url; do
        load "$proxy" "$url" --user-agent 'Demo/1 CFNetwork/3860.500.83 Darwin/25.4.0' || true
    done
    load "$proxy" "$(awk 'NR == 2 { print $1 }' "$work/lab.txt")" || true
    kill "$gate"
    wait "$gate"
}
load() {
    curl --silent --noproxy '' --max-time 30 --proxy "$1" --cacert "$work/ca/ca-cert.pem" --output /dev/null "${@:2}"
}

round enforced
round audited --mode audit --os auto
cat "$work/enforced.jsonl" "$work/audited.jsonl" >"$work/records.jsonl"
$python Tests/Peers/schema.py docs/record.schema.json docs/record.md "$work/records.jsonl"
