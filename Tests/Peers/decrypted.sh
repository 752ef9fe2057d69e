#!/usr/bin/env bash
# A real mitmproxy after the gate: loads that it decrypts are not judged, and those that it passes through are.
#
#   Tests/Peers/decrypted.sh
#
# Exit: 0 if everything passed, 1 at the first failure, 2 if it could not start.
cd "$(dirname "$0")/../.." || exit
deadline_seconds=60
. Tests/Peers/preamble.sh decrypted

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && exit 2; }
fi
atsgate=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
export XDG_DATA_HOME="$work/data" HOME="$work"
[ -d .build/mitmproxy ] || { echo ".ci/install.sh peers installs mitmproxy" >&2 && exit 2; }

"$atsgate" lab --write-config "$work/lab.conf" >"$work/lab.txt" 2>"$work/lab.log" &
running+=("$!")
wait_for "$work/lab.conf" "$!"

# mitmproxy with options; sets parent and authority.
start_mitmproxy() {
    local port
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    PYTHONPATH=.build/mitmproxy python3 -c 'from mitmproxy.tools.main import mitmdump; mitmdump()' \
        --quiet --listen-host 127.0.0.1 --listen-port "$port" --set confdir="$work/mitmproxy" --set ssl_insecure=true \
        "$@" >"$work/mitmproxy.log" 2>&1 &
    running+=("$!")
    wait_until "mitmproxy listens" "$!" listens "$port"
    parent=http://127.0.0.1:$port
    authority=$work/mitmproxy/mitmproxy-ca-cert.pem
}

# expect STATUS TEXT WORDS COMMAND...: the exit code and a text of the output.
expect() {
    local status=$1 text=$2 words=$3 found=0
    shift 3
    "$@" >"$work/out.txt" 2>&1 || found=$?
    if [ "$found" -ne "$status" ] || ! grep -qF -- "$text" "$work/out.txt"; then
        echo "FAILED  $words: exit $found instead of $status, or no $text" >&2
        cat "$work/out.txt" >&2
        exit 1
    fi
    echo "ok  $words"
}

load() { "$atsgate" run --config "$work/lab.conf" --parent "$parent" "$@" -- curl -s -o /dev/null "$url"; }
probe() { "$atsgate" probe --config "$work/lab.conf" --parent "$parent" "$@"; }

say "mitmproxy decrypts"
start_mitmproxy
for url in https://good.lab.test/ https://sha1.lab.test/ https://expired.lab.test/; do
    expect 3 "1 load: 1 outside" "$url with mitmproxy's CA is not judged" load --extra-ca "$authority"
done
expect 35 "1 load: 1 outside" "without its CA the load fails, and is not judged" load
expect 3 net.decrypted "probe does not judge" probe good.lab.test sha1.lab.test
expect 3 net.decrypted "nor with its CA" probe --extra-ca "$authority" good.lab.test
expect 0 allowed "--decrypted judge judges the proxy" probe --extra-ca "$authority" --decrypted judge sha1.lab.test

say "mitmproxy passes TLS through"
start_mitmproxy --set ignore_hosts='.*'
url=https://good.lab.test/
expect 0 ALLOWED "a good server is allowed" load
url=https://sha1.lab.test/
expect 1 "1 load: 1 blocked" "a bad one is blocked" "$atsgate" run --config "$work/lab.conf" --parent "$parent" -- \
    sh -c "curl -s -o /dev/null $url || true"
