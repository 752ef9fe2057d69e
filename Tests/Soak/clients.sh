# shellcheck shell=bash disable=SC2034,SC2154
# The lab, the gate, its clients and the faults, for soak.sh.

# Seconds between two loads of one client.
pause=5
# Loads per minute from servers whose certificate chains are long and never the same.
hostile=70

start_lab() {
    "$gate_program" lab --json --write-config "$work/lab.conf" >"$work/lab.json" 2>"$work/lab.log" &
    lab=$!
    running+=("$lab")
    wait_until "the lab" "$lab" test -s "$work/lab.conf"
    # The file that lab.conf names for roots must also contain the roots of the other servers.
    cat "$work/root.pem" >>"$work/lab.conf.pem"
    $python - "$work/lab.json" >"$work/flawed" <<'PY'
import json, sys
for row in json.load(open(sys.argv[1], encoding="utf-8")):
    if row["expectedVerdict"] != "allowed" and row["name"] != "cleartext.lab.test":
        print(row["name"])
PY
}

start_soaked_gate() {
    echo '{"NSExceptionDomains": {"cleartext.lab.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}' \
        >"$work/policy.json"
    mkfifo "$work/records"
    $python Tests/Soak/tally.py "$work/tally.json" <"$work/records" &
    # A process that writes no core also hides the list of its descriptors.
    ATSGATE_CORE_DUMPS=1 "$gate_program" proxy --config "$work/lab.conf" --policy "$work/policy.json" \
        --connect-to "h2.peers.test:443:127.0.0.1:$nginx_h2" \
        --connect-to "wss.peers.test:443:127.0.0.1:$(scripted wss)" --passthrough good12.lab.test \
        --listen 127.0.0.1:0 --port-file "$work/port" --ca-dir "$work/gate" --store "$work/records.sqlite" \
        --json - --drain 10s --quiet >"$work/records" 2>"$work/gate.log" &
    gate=$!
    running+=("$gate")
    wait_until "the gate" "$gate" test -s "$work/port"
    gate_port=$(cat "$work/port")
    files_at_first=$(files)
}

# The gate's resident memory in KiB, and its descriptors.
rss() { ps -o rss= -p "$gate" | tr -d ' '; }
files() { find "/proc/$gate/fd" -mindepth 1 2>/dev/null | wc -l; }
no_more_than() { [ "$(files)" -le "$1" ]; }

# load NAME CONNECTIONS URL WORDS...: keep-alive loads; the results are in NAME.json.
load() {
    local name=$1 count=$2 url=$3
    shift 3
    "$bin/loader" load --proxy "127.0.0.1:$gate_port" --url "$url" --connections "$count" --seconds "$seconds" \
        --pause $((pause * 1000)) --finish-loads "$@" >"$work/$name.json" 2>"$work/$name.log" &
    drivers+=($!)
    running+=($!)
}

start_clients() {
    drivers=()
    load plain $((clients / 5)) http://cleartext.lab.test/bytes/1024
    load intercepted $((clients / 5)) https://good.lab.test/bytes/1024
    load streams $((clients / 5)) https://h2.peers.test/small --http2
    $python Tests/Soak/sockets.py "$gate_port" "$work/gate/ca-cert.pem" wss.peers.test $((clients / 5)) \
        "$seconds" $pause >"$work/sockets.json" 2>"$work/sockets.log" &
    drivers+=($!)
    running+=($!)
    mkfifo "$work/hold"
    "$bin/loader" idle --proxy "127.0.0.1:$gate_port" --url https://good12.lab.test --count $((clients / 5)) \
        <"$work/hold" >"$work/tunnels.json" 2>"$work/tunnels.log" &
    tunnels=$!
    running+=("$tunnels")
    # They end when their input ends.
    exec 8>"$work/hold"
}

# Runs until the time is up: faults once a minute, and the gate's size every five seconds.
watch_gate() {
    local end=$((SECONDS + seconds)) minute=$((SECONDS + 30))
    rounds=0
    while [ $SECONDS -lt $end ]; do
        echo "$SECONDS $(rss) $(files)" >>"$work/sizes"
        if [ $SECONDS -ge $minute ]; then
            minute=$((minute + 60))
            trouble
        fi
        sleep 5
    done
}

trouble() {
    rounds=$((rounds + 1))
    touch "$work/policy.json"
    kill -HUP "$gate"
    kill -HUP "$(cat "$work/nginx/pid")"
    kill -STOP "$lab"
    sleep 2
    kill -CONT "$lab"
    local url=() name
    while read -r name; do url+=(-o /dev/null "https://$name/"); done <"$work/flawed"
    curl --silent --parallel --parallel-max 8 --max-time 30 --noproxy '' --proxy "http://127.0.0.1:$gate_port" \
        --cacert "$work/gate/ca-cert.pem" "${url[@]}" >/dev/null 2>&1 || true
    # 70 per minute are 4,200 per hour.
    local names
    for names in 31000 10400; do
        "$bin/loader" hostile --proxy "127.0.0.1:$gate_port" --loads $((hostile / 2)) --names $names >/dev/null 2>&1
    done
}

count_clients() {
    local driver
    for driver in "${drivers[@]}"; do wait "$driver" || true; done
    exec 8>&-
    wait "$tunnels" || true
    echo "$rounds" >"$work/rounds"
    echo $((rounds * hostile)) >"$work/hostile"
}
