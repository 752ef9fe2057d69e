#!/usr/bin/env bash
# The live page in a headless Chromium: loads come while it is open, filter, detail, what if, export, keyboard, phone.
#
#   Tests/Page/page.sh [FOLDER]     pictures go to FOLDER, without it to .build/page
#
# PEERS_GATE names the command; without it, the debug build's. Exit: 0, or 1 and what is missing.
cd "$(dirname "$0")/../.." || exit
here=Tests/Page
pictures=${1:-.build/page}
mkdir -p "$pictures"
deadline_seconds=60 missing_status=1
. Tests/Peers/preamble.sh page

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.txt" 2>&1 || { cat "$work/build.txt" >&2 && exit 2; }
fi
gate=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
say "the lab, and a gate in front of it"
"$gate" lab --write-config "$work/lab.conf" >"$work/lab.log" 2>&1 &
running+=($!)
wait_for "$work/lab.conf" $!
# Hosts that a URL of the browser's can not have, led to the lab's cleartext origin.
cleartext_port=$(sed -n 's/^connect-to = cleartext\.lab\.test:80:127\.0\.0\.1://p' "$work/lab.conf")
odd=(--connect-to "x.123:80:127.0.0.1:$cleartext_port" --connect-to "xn--a.local:80:127.0.0.1:$cleartext_port")
echo '{"NSAllowsLocalNetworking": true}' >"$work/policy.json"
"$gate" proxy --config "$work/lab.conf" "${odd[@]}" --listen 127.0.0.1:0 --port-file "$work/port" --ca-dir "$work/gate" \
    --store "$work/records.sqlite" --web 127.0.0.1:0 --web-url-file "$work/url" --recording first --policy "$work/policy.json" \
    >"$work/gate.log" 2>&1 &
running+=($!)
wait_for "$work/url" $!
wait_for "$work/port" $!
say "the page in Chromium"
$python $here/page.py "$(cat "$work/url")" "$(cat "$work/port")" "$work/gate/ca-cert.pem" "$pictures" \
    "$work/policy.json"
say "the API, against its schema"
$python Tests/Page/api.py "$(cat "$work/url")" docs/api.schema.json
