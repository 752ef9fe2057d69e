# shellcheck shell=bash disable=SC2034,SC2154
# Start-up and single decisions, for bench.sh. Needs: work, bin, note, and the files about processes and subjects.

starts=5

run_starts() {
    local turn
    # The first start, which is not measured, makes the CA.
    start_gate start "${bench_origins[@]}" --store none
    stop "$started"
    free_port && start_port=$port
    for ((turn = 0; turn < starts; turn++)); do
        time_start atsgate launch_measured_gate --proxy "127.0.0.1:$start_port"
    done
    if [ "$peers" = no ] || ! start_peer haproxy; then return 0; fi
    stop "$haproxy"
    for ((turn = 0; turn < starts; turn++)); do
        time_start haproxy launch_measured_haproxy --connect-to "127.0.0.1:$haproxy_tls"
    done
}

launch_measured_gate() {
    launch_gate start "$start_port" "${bench_origins[@]}" --store "$work/start.sqlite"
}

launch_measured_haproxy() {
    haproxy -db -f "$work/haproxy.cfg" >"$work/haproxy.log" 2>&1 &
    started=$!
    running+=("$started")
}

# time_start SUBJECT LAUNCH LOADER-WORDS...: milliseconds from LAUNCH to the first answer. The loader is already trying.
time_start() {
    local name=$1 launch=$2 loader begun answered wrong=0
    shift 2
    rm -f "$work/line.json"
    "$bin/loader" first --url "${tls_url/PATH/1k}" "$@" >"$work/line.json" 2>>"$work/loader.log" &
    loader=$!
    running+=("$loader")
    wait_until "loader" $loader test -s "$work/line.json"
    now_us && begun=$now
    $launch
    wait $loader || wrong=1
    forget $loader
    answered=$(number answeredAt "$(tail -n 1 "$work/line.json")")
    if [ $wrong = 0 ]; then
        note start "$name" "$(calculate "($answered - $begun) / 1000")" - - - 0 1
    else
        note start "$name" - - - - 1 0
    fi
    stop "$started"
}

run_decision() {
    local line
    line=$("$bin/loader" law)
    note decision atsgate "$(number nanoseconds "$line")" - - - 0 1
}
