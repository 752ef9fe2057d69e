#!/usr/bin/env bash
# Real loads through a real gate: the lab's origins, each with one flaw, behind the dictionary of an app that has one
# exception. Ends with the report. Everything it makes is in a folder that goes away again.
#
# Exit: 0 when every load went as the lab expects, 1 otherwise.
cd "$(dirname "$0")/.." || exit

deadline_seconds=60
dictionary=config/dictionaries/one-exception-domain.plist
excepted=legacy.example.com
. Tests/Peers/preamble.sh demo

say "build"
swift build --product atsgate
atsgate=$(swift build --show-bin-path)/atsgate

say "the lab: origins on this machine that each break one rule"
"$atsgate" lab --write-config "$work/lab.conf" >"$work/lab.txt" 2>"$work/lab.log" &
lab=$!
running+=("$lab")
wait_for "$work/lab.conf" "$lab"
cut -c1-100 "$work/lab.txt"

# The host with the exception is led to the lab's cleartext origin.
cleartext_port=$(sed -n 's/^connect-to = cleartext\.lab\.test:80:127\.0\.0\.1://p' "$work/lab.conf")

say "the gate, with $dictionary"
"$atsgate" proxy --config "$work/lab.conf" --console apple --connect-to "$excepted:80:127.0.0.1:$cleartext_port" \
    --policy "$dictionary" --listen 127.0.0.1:0 --port-file "$work/port" \
    --ca-dir "$work/ca" --store "$work/records.sqlite" --recording demo 2>"$work/gate.log" &
gate=$!
running+=("$gate")
wait_for "$work/port" "$gate"
proxy="http://127.0.0.1:$(cat "$work/port")"
cat "$work/gate.log"

# One load: prints how it fared as the client sees it, and counts whether that is what $2 says.
surprises=0
load() {
    local url=$1 expected=$2 status seen words
    status=$(curl --silent --show-error --noproxy '' --max-time 30 --proxy "$proxy" --cacert "$work/ca/ca-cert.pem" \
        --dump-header "$work/head" --output /dev/null --write-out '%{http_code}' "$url" 2>"$work/curl.log") || true
    seen=refused
    if [ "$status" = 200 ]; then seen=allowed; fi
    words=$(head -n 1 "$work/curl.log")
    [ -n "$words" ] || words="HTTP $status $(sed -n 's/^X-ATSGate-Error: //p' "$work/head" | tr -d '\r')"
    printf '%-35s %-8s %s\n' "$url" "$seen" "$words"
    if [ "$seen" = allowed ] && [ "$expected" != allowed ] || [ "$seen" != allowed ] && [ "$expected" = allowed ]; then
        echo "    expected: $expected"
        surprises=$((surprises + 1))
    fi
}

say "the loads, as curl sees them"
load "http://$excepted/" allowed
while read -r url expected _; do load "$url" "$expected"; done < <(tail -n +2 "$work/lab.txt")

say "what the console of a device would show for http://cleartext.lab.test/, and our own line"
kill "$gate"
wait "$gate"
kill "$lab"
wait "$lab" || true
running=()
sed -n '/cleartext HTTP/,/ blocked /p' "$work/gate.log"

say "the report"
"$atsgate" report --store "$work/records.sqlite"

if [ $surprises -gt 0 ]; then
    echo "demo: $surprises loads did not go as expected" >&2
    exit 1
fi
say "every load went as the lab expects"
