# shellcheck shell=bash disable=SC2034,SC2154
# The gate's memory, for bench.sh. Needs: work, bin, descriptors, large_bytes, wanted, note, and the files about
# processes and subjects.

run_memory() {
    if any_wanted large-download-plain large-upload-plain large-download-tls large-upload-tls; then
        start_lab
        large_bodies plain http://cleartext.lab.test
        large_bodies tls https://good.lab.test
        stop "$lab"
    fi
    if wanted idle; then idle_memory; fi
    idle_tunnels idle-passthrough 5000 "${tunnel_url/PATH/1k}"
    idle_tunnels idle-intercepted 1000 "${tls_url/PATH/1k}" --ask
}

large_bodies() {
    large_body "large-download-$1" --url "$2/bytes/$large_bytes" --size "$large_bytes"
    large_body "large-upload-$1" --url "$2/upload" --upload "$large_bytes"
}

# large_body SCENARIO LOADER-WORDS...: a new gate, its idle memory, and the additional memory for one body.
large_body() {
    local scenario=$1 idle peak line loader wrong=0
    shift
    wanted "$scenario" || return 0
    start_gate memory "${lab_origins[@]}" --store "$work/memory.sqlite"
    idle=$(rss_kib "$started")
    reset_peak "$started"
    "$bin/loader" body --proxy "127.0.0.1:$port" "$@" >"$work/line.json" 2>>"$work/loader.log" &
    loader=$!
    peak=$(peak_kib "$started" $loader)
    wait $loader || wrong=1
    line=$(cat "$work/line.json")
    [ $wrong = 0 ] || say "the body did not arrive complete: $line"
    note "$scenario" atsgate "$(calculate "($peak - $idle) / 1024")" \
        "$(calculate "$(number bodyBytes "$line") / 1e6 / ($(number seconds "$line") + 1e-9)")" - - $wrong 1
    stop "$started"
}

idle_memory() {
    start_gate memory "${bench_origins[@]}" --store "$work/memory.sqlite"
    note idle atsgate "$(calculate "$(rss_kib "$started") / 1024")" - - - 0 1
    prove_interception "$port"
    note idle "atsgate after a load" "$(calculate "$(rss_kib "$started") / 1024")" - - - 0 1
    stop "$started"
    if [ "$peers" = no ] || ! start_peer haproxy; then return 0; fi
    note idle haproxy "$(calculate "$(rss_kib "$haproxy") / 1024")" - - - 0 1
    stop "$haproxy"
}

# idle_tunnels SCENARIO COUNT URL LOADER-WORDS...: the memory that each of many idle tunnels adds to a new gate.
idle_tunnels() {
    local scenario=$1 count=$2 url=$3 idle full
    shift 3
    wanted "$scenario" || return 0
    start_gate memory "${bench_origins[@]}" --store "$work/memory.sqlite"
    # The first load's memory does not count for a tunnel.
    "$bin/loader" body --url "$url" --proxy "127.0.0.1:$port" >/dev/null 2>>"$work/loader.log" || true
    idle=$(rss_kib "$started")
    hold_tunnels "$count" --url "$url" --proxy "127.0.0.1:$port" "$@"
    full=$(rss_kib "$started")
    release_tunnels
    note "$scenario" atsgate "$(calculate "($full - $idle) / ($held + 1e-9)")" "$held" - - "$failed" "$held"
    stop "$started"
}

# hold_tunnels COUNT LOADER-WORDS...: opens tunnels until release_tunnels, at most as many as the descriptors permit.
# Sets `held` and `failed` to their numbers.
holders=()
hold_tunnels() {
    local count=$1 line holder
    shift
    # Two for each in the gate, with some reserve.
    if [ "$count" -gt $((descriptors / 2 - 200)) ]; then count=$((descriptors / 2 - 200)); fi
    rm -f "$work/line.json"
    [ -p "$work/open" ] || mkfifo "$work/open"
    # A loader also closes its tunnels when its standard input ends, which this one, open for writing too, never does.
    "$bin/loader" idle "$@" --count "$count" <>"$work/open" >"$work/line.json" 2>>"$work/loader.log" &
    holder=$!
    running+=("$holder")
    holders+=("$holder")
    wait_until "tunnels" "$holder" test -s "$work/line.json"
    line=$(head -n 1 "$work/line.json")
    held=$(number held "$line")
    failed=$(number errors "$line")
}

release_tunnels() {
    local holder
    for holder in "${holders[@]}"; do stop "$holder"; done
    holders=()
}

# Two million loads, as fast as they are answered, with the gate's memory after each 250,000.
run_long() {
    local million line
    start_gate long "${bench_origins[@]}" --store "$work/long.sqlite"
    for million in 0.25 0.50 0.75 1.00 1.25 1.50 1.75 2.00; do
        "$bin/loader" load --url "${plain_url/PATH/1k}" --proxy "127.0.0.1:$port" --size 1024 --connections 32 \
            --loads 250000 --seconds 300 >"$work/line.json" 2>>"$work/loader.log" || true
        line=$(cat "$work/line.json")
        note long "after $million million" "$(calculate "$(rss_kib "$started") / 1024")" "$(number rps "$line")" \
            "$(number p50 "$line")" "$(number p99 "$line")" "$(($(number errors "$line") + $(number bad "$line")))" \
            "$(number requests "$line")"
    done
    stop "$started"
    rm -f "$work"/long.sqlite*
}
