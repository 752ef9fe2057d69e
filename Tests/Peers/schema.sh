#!/usr/bin/env bash
# Validates the records of a real gate against docs/record.schema.json: the lab's flawed servers, enforced and audited,
# a host that does not exist, a client that ATS does not govern.
#
#   Tests/Peers/schema.sh
#   PEERS_GATE=.build/release/atsgate Tests/Peers/schema.sh
#
# Exit: 0 if every record matches, 1 if one does not, 2 if it could not start.
cd "$(dirname "$0")/../.." || exit
deadline_seconds=120
. Tests/Peers/preamble.sh schema

# Finds a Python that has the validator.
if ! $python -c 'import jsonschema' 2>/dev/null; then
    python=python3
    $python -c 'import jsonschema' 2>/dev/null ||
        { echo "schema: no Python with jsonschema; see .ci/install.sh peers" >&2 && exit 2; }
fi

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && exit 2; }
fi
gate_program=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}

"$gate_program" lab --write-config "$work/lab.conf" >"$work/lab.txt" 2>"$work/lab.log" &
running+=("$!")
wait_for "$work/lab.conf" "$!"

# round NAME OPTION...: every load of the lab and some more through a gate with these options.
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
        load "$proxy" "$url" --user-agent 'Demo/1 CFNetwork/3896.100.1 Darwin/27.0.0' || true
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
