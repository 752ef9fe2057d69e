#!/usr/bin/env bash
# The HTML report of 21 hosts with different faults, in a headless Chromium: its table of problems fits on the first screen,
# 1,280 by 900, and it prints on at most six A4 pages.
#
#   Tests/Page/report.sh [FOLDER]     pictures go to FOLDER, by default .build/page
#
# PEERS_GATE is the command, by default that of the debug build. Exit: 0, or 1 with the measures that are too large.
cd "$(dirname "$0")/../.." || exit
pictures=${1:-.build/page}
mkdir -p "$pictures"
deadline_seconds=60 missing_status=1
. Tests/Peers/preamble.sh report

gate=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
"$gate" lab --all --write-config "$work/lab.conf" >"$work/lab.log" 2>&1 &
running+=($!)
wait_for "$work/lab.conf" $!
hosts=(cleartext dhe rsa-kx tls10 tls11 sha1 rsa1024 expired not-yet-valid wrong-host no-san self-signed untrusted-root
    incomplete-chain closes garbage days825 alert40 alert80 alert112 p224)
say "a recording of ${#hosts[@]} faults"
# shellcheck disable=SC2016
"$gate" run --quiet --config "$work/lab.conf" --ca-dir "$work/ca" --store "$work/records.sqlite" --exit-zero -- \
    sh -c 'for host; do curl -s -o /dev/null "http$([ "$host" = cleartext ] || echo s)://$host.lab.test/"; done; true' \
    sh "${hosts[@]}" 2>"$work/run.log"
"$gate" report --store "$work/records.sqlite" --format html --output "$work/report.html" --fail-on none 2>"$work/report.log"
say "the report in Chromium"
$python Tests/Page/report.py "$work/report.html" "$pictures" "${#hosts[@]}"
