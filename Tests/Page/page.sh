#!/usr/bin/env bash
# The live page in a headless Chromium, and its most important parts in Firefox: live loads, search, detail, what if, export, keyboard, phone; accessibility
# problems by axe-core (`.ci/install.sh peers` fetches it); a gate that stops.
#
#   Tests/Page/page.sh [FOLDER]     pictures go to FOLDER, by default .build/page
#
# PEERS_GATE is the command, by default that of the debug build. Exit: 0, or 1 with what is missing.
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
say "the lab, and a gate for it"
"$gate" lab --write-config "$work/lab.conf" >"$work/lab.log" 2>&1 &
running+=($!)
wait_for "$work/lab.conf" $!
# Hosts that a browser cannot have in a URL, directed to the lab's cleartext server.
cleartext_port=$(sed -n 's/^connect-to = cleartext\.lab\.test:80:127\.0\.0\.1://p' "$work/lab.conf")
odd=(--connect-to "x.123:80:127.0.0.1:$cleartext_port" --connect-to "xn--a.local:80:127.0.0.1:$cleartext_port")
echo '{"NSAllowsLocalNetworking": true}' >"$work/policy.json"
# start NAME [OPTION...]: starts a gate with its own store.
start() {
    local name=$1
    shift
    rm -f "$work/$name.url" "$work/$name.port"
    "$gate" proxy --config "$work/lab.conf" "${odd[@]}" --listen 127.0.0.1:0 --port-file "$work/$name.port" --ca-dir "$work/gate" \
        --store "$work/$name.sqlite" --web-url-file "$work/$name.url" --recording first --policy "$work/policy.json" "$@" \
        >"$work/$name.log" 2>&1 &
    last=$!
    running+=("$last")
    wait_for "$work/$name.url" $last
    wait_for "$work/$name.port" $last
}
start abilities --web 127.0.0.1:0
say "the features of the page, in Chromium"
$python $here/abilities.py "$(cat "$work/abilities.url")" "$(cat "$work/abilities.port")" "$work/gate/ca-cert.pem" "$pictures"
cat >"$work/device.log" <<'END'
2026-10-07 15:30:54.100 Shop[1:2] Task <11111111-1111-1111-1111-111111111111>.<1> finished with error [-1200] Error Domain=NSURLErrorDomain Code=-1200 "An SSL error has occurred and a secure connection to the server cannot be made." UserInfo={_kCFStreamErrorDomainKey=3, _kCFStreamErrorCodeKey=-9802, NSErrorFailingURLStringKey=https://device.test/}
END
for browser in firefox chromium; do
    "$gate" evidence import --store "$work/$browser.sqlite" --recording "from a device" "$work/device.log" \
        2>"$work/import.log" || { cat "$work/import.log" >&2 && exit 1; }
    mkdir -p "$pictures/$browser"
    echo '{"NSAllowsLocalNetworking": true}' >"$work/policy.json"
    start $browser --web 127.0.0.1:0
    say "the page in $browser"
    $python $here/page.py $browser "$(cat "$work/$browser.url")" "$(cat "$work/$browser.port")" "$work/gate/ca-cert.pem" \
        "$pictures/$browser" "$work/policy.json"
done
say "the page and a report, by axe-core"
"$gate" report --store "$work/chromium.sqlite" --all --format html --output "$work/report.html" --fail-on none 2>"$work/report.log"
$python $here/axe.py "$(cat "$work/chromium.url")" .build/axe/axe_playwright_python/axe.min.js "$pictures" "$work/report.html"
say "the API, against its schema"
$python $here/api.py "$(cat "$work/chromium.url")" docs/api.schema.json
say "a gate that stops"
start gone --web 127.0.0.1:0
address=$(sed -E 's,http://([^/]*)/.*,\1,' "$work/gone.url")
mkfifo "$work/told"
$python $here/gone.py "$(cat "$work/gone.url")" "$pictures" >"$work/told" &
looker=$!
running+=("$looker")
while read -r line; do
    case $line in
        END) kill $last && wait $last || true ;;
        START) start gone --web "$address" ;;
        *) echo "$line" ;;
    esac
done <"$work/told"
wait $looker
