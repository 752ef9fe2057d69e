#!/usr/bin/env bash
# Real clients with a gate: the reading of each ClientHello, and the comparison with three dictionaries, one of them wrong
# on purpose. curl_cffi, which .ci/install.sh peers installs, reproduces the hellos of Safari.
#
#   Tests/Peers/hellos.sh
#   PEERS_GATE=.build/release/atsgate Tests/Peers/hellos.sh
#   PEERS_PYTHON=python3 Tests/Peers/hellos.sh    with a Python that has curl_cffi
#
# Exit: 0 if all is right, 1 if not, 2 if it could not start.
cd "$(dirname "$0")/../.." || exit

deadline_seconds=60 missing_status=2

. Tests/Peers/preamble.sh hellos

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.txt" 2>&1 || { cat "$work/build.txt" >&2 && exit 2; }
fi
program=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
# The Python whose pip installed it.
python=${PEERS_PYTHON:-python3}
export PYTHONPATH=$PWD/.build/curl_cffi
"$python" -c 'import curl_cffi' || { echo "hellos: no curl_cffi; see .ci/install.sh peers" >&2 && exit 2; }
export XDG_DATA_HOME=$work/data

"$program" lab --write-config "$work/lab.conf" >"$work/lab.log" 2>&1 &
running+=($!)
wait_for "$work/lab.conf" $!
"$program" proxy --config "$work/lab.conf" --listen 127.0.0.1:0 --port-file "$work/port" --web off \
    --json "$work/loads.jsonl" --store none --console none >"$work/gate.log" 2>&1 &
gate=$!
running+=("$gate")
wait_for "$work/port" "$gate"
say "clients and their hellos"
"$python" Tests/Peers/hellos.py clients "$(cat "$work/port")" "$work" "$work/loads.jsonl"
kill "$gate"
wait "$gate" || true

# compare NAME DICTIONARY STATUS TEXT: an app with ATS loads one host, and one without ATS another.
compare() {
    local status=0
    echo "$2" >"$work/$1.json"
    "$program" run --config "$work/lab.conf" --policy "$work/$1.json" --store "$work/$1.sqlite" --fail-on-difference \
        --recording "$1" -- "$python" Tests/Peers/hellos.py loads good.lab.test good12.lab.test=safari \
        >"$work/$1.out" 2>"$work/$1.log" || status=$?
    grep -E 'device and law|the build on' "$work/$1.log" || true
    [ "$status" = "$3" ] || { cat "$work/$1.log" >&2 && echo "WRONG  $1 ended with $status instead of $3" >&2 && exit 1; }
    [ "$(grep -c 'device and law' "$work/$1.log")" = 1 ] ||
        { cat "$work/$1.log" >&2 && echo "WRONG  the comparison is not printed once" >&2 && exit 1; }
    grep -qF "$4" "$work/$1.log" || { cat "$work/$1.log" >&2 && echo "MISSING  $4" >&2 && exit 1; }
}
say "a server that asks for another group, passed through"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=retry.peers.test -days 30 \
    -addext subjectAltName=DNS:retry.peers.test -keyout "$work/retry.key" -out "$work/retry.pem" 2>/dev/null
# It prints each message, and its port first.
openssl s_server -accept 127.0.0.1:0 -cert "$work/retry.pem" -key "$work/retry.key" -groups P-384 -www -msg \
    >"$work/retry.txt" 2>&1 &
running+=($!)
wait_until "the server" $! grep -q '^ACCEPT' "$work/retry.txt"
retry=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' "$work/retry.txt" | head -1)
rm "$work/port"
"$program" proxy --config "$work/lab.conf" --listen 127.0.0.1:0 --port-file "$work/port" --web off --passthrough retry.peers.test \
    --connect-to "retry.peers.test:443:127.0.0.1:$retry" --json "$work/retry.jsonl" --store none --console none --mode audit \
    >"$work/retry.log" 2>&1 &
gate=$!
running+=("$gate")
wait_for "$work/port" "$gate"
HTTPS_PROXY=http://127.0.0.1:$(cat "$work/port") "$python" Tests/Peers/hellos.py loads retry.peers.test
kill "$gate"
wait "$gate" || true
# Each of the three loads, and the gate's own handshake, was asked for a second hello.
[ "$(grep -c 'ClientHello' "$work/retry.txt")" -ge 6 ]
[ "$(grep -c '"reads":"ats"' "$work/retry.jsonl")" = 3 ]
echo "three loads with a second hello: read as ats"

say "a session under three dictionaries"
relaxed='"NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionRequiresForwardSecrecy": false'
compare right "{\"NSAppTransportSecurity\": {\"NSExceptionDomains\": {\"good12.lab.test\": {$relaxed}}}}" 0 \
    "device and law agree on 6 of 6 hellos"
compare strict '{"NSAppTransportSecurity": {}}' 4 \
    "agree on 3 of 6 hellos; differ: good12.lab.test (device: ATS not in force; law: ATS in force)"
compare wrong '{"NSAppTransportSecurity": {"NSAllowsArbitraryLoads": true}}' 4 \
    "the build on this device still has ATS on for good.lab.test"
say "export"
"$program" evidence export --hellos --store "$work/wrong.sqlite" --policy "$work/wrong.json" --source test >"$work/hellos.jsonl"
"$program" evidence export --store "$work/wrong.sqlite" --policy "$work/wrong.json" --source test >"$work/cases.jsonl"
[ "$(wc -l <"$work/hellos.jsonl")" = 2 ] && [ "$(wc -l <"$work/cases.jsonl")" = 1 ]
! grep -q 'lab\.test' "$work/hellos.jsonl" "$work/cases.jsonl"
cat "$work/cases.jsonl"
