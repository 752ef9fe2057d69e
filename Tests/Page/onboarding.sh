#!/usr/bin/env bash
# The setup page for devices, in a headless Chromium: without a proxy, without the CA, with both. Also the PAC file in
# an interpreter, and the profile in a property list reader.
#
#   Tests/Page/onboarding.sh [FOLDER]     pictures go to FOLDER, by default .build/page
#
# PEERS_GATE is the command, by default that of the debug build. Exit: 0, or 1 with what is missing.
cd "$(dirname "$0")/../.."
here=Tests/Page
pictures=${1:-.build/page}
mkdir -p "$pictures"
deadline_seconds=60 missing_status=1
. Tests/Peers/preamble.sh onboarding

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.txt" 2>&1 || { cat "$work/build.txt" >&2 && exit 2; }
fi
gate=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
"$gate" proxy --listen 127.0.0.1:0 --port-file "$work/port" --ca-dir "$work/gate" --store "$work/records.sqlite" \
    --web off --passthrough pinned.test --passthrough '*.apple.test' >"$work/gate.log" 2>&1 &
running+=($!)
wait_for "$work/port" $!
"$gate" proxy --listen 127.0.0.1:0 --port-file "$work/apple-port" --ca-dir "$work/gate" --store none --web off \
    --passthrough apple >"$work/apple.log" 2>&1 &
running+=($!)
wait_for "$work/apple-port" $!
say "the onboarding page in Chromium"
$python $here/onboarding.py "$(cat "$work/port")" "$(cat "$work/apple-port")" "$work/gate/ca-cert.pem" "$pictures"
# The browser sends loads of its own, which fail here.
"$gate" report --store "$work/records.sqlite" --format jsonl >"$work/loads.jsonl" 2>"$work/report.log" || true
if grep -E '"host":"(atsgate\.test|127\.0\.0\.1)"' "$work/loads.jsonl" >&2; then
    echo "MISSING  the page's own requests are not recorded" >&2
    exit 1
fi
grep -q '"host":' "$work/loads.jsonl" || [ "$(wc -l <"$work/loads.jsonl")" = 0 ]
echo "ok       the page's own requests are not recorded"
