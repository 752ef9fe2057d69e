# shellcheck shell=bash
# A headless Chromium that loads a page through the gate, for peers.sh. With a proxy it has no WebSocket over HTTP/2
# (seen in 156, with an origin that allows it); loads.py does that.
# Needs: work, running, python, gate_port, wait_until.

browse() {
    local home="$work/home" chromium
    chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
    mkdir -p "$home/.pki/nssdb"
    certutil -d "sql:$home/.pki/nssdb" -N --empty-password
    certutil -d "sql:$home/.pki/nssdb" -A -t C,, -n gate -i "$work/gate/ca-cert.pem"
        # No sandbox, because root cannot have one; and small machines have little shared memory.
    HOME=$home XDG_CONFIG_HOME=$home XDG_CACHE_HOME=$home "$chromium" --headless=new --no-sandbox --disable-gpu \
        --disable-dev-shm-usage --disable-background-networking --disable-component-update --disable-sync \
        --no-first-run --disable-features=OptimizationHints,MediaRouter --user-data-dir="$home/profile" \
        --proxy-server="http://127.0.0.1:$gate_port" --remote-debugging-port=0 \
        https://h2.peers.test/ >"$work/chromium.log" 2>&1 &
    local browser=$!
    running+=("$browser")
    wait_until "the report of the page in the browser" "$browser" test -s "$work/report.json"
    kill "$browser"
    wait "$browser" 2>/dev/null || true
    $python - "$work/report.json" <<'PYTHON'
import json
import sys

seen = json.load(open(sys.argv[1]))
facts = [
    ("protocol", "h2", "the page came over HTTP/2"),
    ("images", 200, "200 images arrived"),
    ("events", 10, "10 events arrived, each before the next was sent"),
    ("upload", True, "an upload of 3 MB arrived whole"),
    ("socket", True, "a WebSocket by upgrade echoed"),
    ("h2Events", 10, "10 events of another origin, over HTTP/2"),
]
for name, wanted, words in facts:
    if seen.get(name) != wanted:
        sys.exit(f"MISSING  {words}: {seen.get(name)!r} instead of {wanted!r}")
    print(f"ok       {words}")
PYTHON
}
