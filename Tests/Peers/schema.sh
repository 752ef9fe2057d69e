#!/usr/bin/env bash
# Validates the records of a real gate against docs/record.schema.json: the lab's flawed servers, enforced and audited,
# a host that does not exist, a client that ATS does not govern. Validates audits of two builds of an app against
# docs/audit.schema.json.
#
#   Tests/Peers/schema.sh
#   PEERS_GATE=.build/release/atsgate Tests/Peers/schema.sh
#
# Exit: 0 if every record and audit matches, 1 if one does not, 2 if it could not start.
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

# app NAME PLIST SCRIPT: an app with these members of its dictionary, and this script.
app() {
    mkdir -p "$work/$1.app"
    echo "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>demo.$1</string>
        <key>CFBundleExecutable</key><string>Demo</string><key>MinimumOSVersion</key><string>15.0</string>
        <key>DTSDKName</key><string>iphoneos18.5</string>
        <key>Space</key><string>http://www.w3.org/1999/xhtml</string><key>Inserted</key><string>https://%@/v1</string>
        <key>NSAppTransportSecurity</key><dict>$2</dict></dict></plist>" >"$work/$1.app/Info.plist"
    echo "$3" >"$work/$1.app/main.js"
}
pin='<key>NSPinnedDomains</key><dict><key>pinned.example.com</key><dict><key>NSPinnedLeafIdentities</key><array>
    <dict><key>SPKI-SHA256-BASE64</key><string>AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=</string></dict></array></dict></dict>'
app Old '' "['https://gone.example.com','https://both.example.com']"
app New "<key>NSAllowsArbitraryLoads</key><true/>$pin" \
    "['http://a.example.com:8080/x','https://both.example.com','http://www.w3.org/2000/svg',\`https://\${host}/v1\`]"
echo secret >"$work/New.app/global-metadata.dat"
openssl x509 -in "$work/ca/ca-cert.pem" -outform der -out "$work/New.app/own.cer"
"$gate_program" run --quiet --store "$work/audits.db" --recording ci --exit-zero -- \
    curl --silent --output /dev/null --output /dev/null http://a.example.com:8080/x http://other.example.com/ 2>"$work/run.log" || true
cd "$work"
"$gate_program" audit New.app --fail-on none --format json >"$work/plain.json" 2>"$work/plain.log"
"$gate_program" audit New.app --fail-on none --format json --diff Old.app --since-sdk --store audits.db --recording ci --probe \
    --connect-to ::127.0.0.1:1 --timeout 2s >"$work/full.json" 2>"$work/full.log"
cd "$OLDPWD"
$python Tests/Peers/audits.py docs/audit.schema.json "$work/plain.json" "$work/full.json"
