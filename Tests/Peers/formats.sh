#!/usr/bin/env bash
# Reports of a real gate, validated by their readers: SARIF's object model, HAR's schema, a JUnit parser, our own
# schema, and the HTML page in a headless Chromium: contrast, labels, keyboard, narrow and dark, and a page of a store
# full of hostile text; the printed page; and the HAR in Chromium's network panel.
#
#   Tests/Peers/formats.sh
#   PEERS_GATE=.build/release/atsgate PEERS_PICTURES=/tmp/pictures Tests/Peers/formats.sh
#
# Exit: 0 if everything passed, 1 at the first failure, 2 if it could not start.
cd "$(dirname "$0")/../.." || exit
deadline_seconds=120
. Tests/Peers/preamble.sh formats
here=Tests/Peers

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && exit 2; }
fi
gate_program=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
store="$work/store.db"
policy=config/dictionaries/one-exception-domain.plist

"$gate_program" lab --write-config "$work/lab.conf" >"$work/lab.txt" 2>"$work/lab.log" &
running+=("$!")
wait_for "$work/lab.conf" "$!"
"$gate_program" proxy --config "$work/lab.conf" --policy $policy --listen "127.0.0.1:0,label=phone" \
    --port-file "$work/port" --ca-dir "$work/ca" --store "$store" --recording lab --web off 2>"$work/gate.log" &
gate=$!
running+=("$gate")
wait_for "$work/port" "$gate"
{
    tail -n +2 "$work/lab.txt" | awk '{ print $1 }'
    echo "https://nowhere.invalid/?token=secret"
} | while read -r url; do
    curl --silent --noproxy '' --max-time 30 --proxy "http://127.0.0.1:$(cat "$work/port")" --output /dev/null \
        --cacert "$work/ca/ca-cert.pem" --user-agent 'Demo/1 CFNetwork/3896.100.1 Darwin/27.0.0' "$url" || true
done
kill "$gate"
wait "$gate"

# Formats for CI systems exit with 1, because loads were blocked.
report() { "$gate_program" report --store "$1" --format "$2" --output "$3" 2>>"$work/report.log" || [ $? -eq 1 ]; }

say "formats of a lab run"
for format in json junit sarif gitlab har html; do report "$store" $format "$work/report.$format"; done
$python $here/formats.py "$work" docs/report.schema.json docs/report.md

say "the page in $(chromium --version 2>/dev/null | head -n 1)"
    # The same store with hosts, names and lines that try to break out of text.
$python $here/hostile.py "$store" "$work/hostile.db"
report "$work/hostile.db" html "$work/hostile.html"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_CACHE_HOME=$work/home "$chromium" --headless=new --no-sandbox \
    --disable-gpu --disable-dev-shm-usage --disable-background-networking --disable-component-update --disable-sync \
    --no-first-run --user-data-dir="$work/home/profile" --remote-debugging-port=0 --remote-allow-origins='*' \
    about:blank 2>"$work/chromium.log" &
browser=$!
running+=("$browser")
wait_until "the browser" "$browser" grep -q 'DevTools listening' "$work/chromium.log"
$python $here/page.py "$work/home/profile/DevToolsActivePort" "$work/report.html" "$work/hostile.html" \
    "${PEERS_PICTURES-}"
say "the printed page"
$python $here/print.py "$work/home/profile/DevToolsActivePort" "$work/report.html" "${PEERS_PICTURES-}"
say "the HAR in the browser's own tools"
$python $here/har.py "$work/home/profile/DevToolsActivePort" "$work/report.har" "${PEERS_PICTURES-}"
