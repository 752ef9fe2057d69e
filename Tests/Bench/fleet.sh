# shellcheck shell=bash disable=SC2034,SC2154
# The cost of a shared store, for bench.sh: shipping loads, the gate during that time, and reading the store.
# Needs: work, reps, gate_program, bin, plain_url, note, and the other files of this folder.
#
# fleet_loads is the number of loads in a spool, fleet_seconds the time for which the server is stopped.

fleet_rows=(fleet fleet-four fleet-behind fleet-cpu fleet-held fleet-report fleet-json fleet-replay fleet-page)

run_fleet() {
    local reason subject=atsgate rep
    # The goals are for a million.
    [ "$fleet_loads" -ge 1000000 ] || subject="atsgate, $fleet_loads loads"
    start_database_server || {
        say "LEFT OUT  fleet: $reason"
        return 0
    }
    export XDG_DATA_HOME=$work/fleet
    mkdir "$XDG_DATA_HOME"
    for ((rep = 0; rep < reps; rep++)); do
        if of_fleet fleet-four fleet-behind; then ship_spools; fi
        if of_fleet fleet-cpu; then add_up_cpu; fi
    done
    if of_fleet fleet-held; then hold_server; fi
    if of_fleet fleet-report fleet-json fleet-replay fleet-page; then read_all; fi
    unset XDG_DATA_HOME
    stop_database_server
    rm -rf "$work"/fleet "$work"/spool*
}

# of_fleet SCENARIO...: true if any is selected; "fleet" selects all.
of_fleet() { any_wanted fleet "$@"; }

# fill_spool NAME LOADS: makes a spool with generated loads, unless it exists.
fill_spool() {
    [ ! -e "$work/$1.sqlite" ] || return 0
    say "$2 made-up loads"
    "$bin/loader" store "$work/$1.sqlite" --loads "$2" --recording filled
}

# ship_all SCENARIO SPOOL...: ships all at the same time, each in its own process, into an empty store.
ship_all() {
    local scenario=$1 begun spool pids=() pid wrong=0
    shift
    new_shared_store
    now_us && begun=$now
    for spool in "$@"; do
        "$gate_program" recordings import "$spool" --store "$gate_url" >>"$work/ship.log" 2>&1 &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid" || wrong=1; done
    now_us
    [ "$(shared_loads)" = "$fleet_loads" ] || wrong=1
    note_rows "$scenario" "$subject" $((now - begun)) $wrong
}

# note_rows SCENARIO SUBJECT MICROSECONDS WRONG: notes the time for all loads.
note_rows() {
    note "$1" "$2" "$(calculate "$3 / $fleet_loads")" "$(calculate "$fleet_loads * 1e6 / $3")" - - "$4" "$fleet_loads"
}

# One spool with all loads, and four that have the same number together.
ship_spools() {
    local number
    fill_spool spool "$fleet_loads"
    for number in 1 2 3 4; do fill_spool "spool-$number" $((fleet_loads / 4)); done
    ship_all fleet "$work/spool.sqlite"
    copy_rows
    ship_all fleet-four "$work"/spool-[1-4].sqlite
    catch_up
}

# Copies the current rows of the store with psql in one transaction, over TLS: the best case for a server.
copy_rows() {
    local days day begun wrong=0 scenario
    ask "COPY (SELECT * FROM atsgate.load) TO STDOUT (FORMAT binary)" >"$work/spool.rows"
    days=$(ask "SELECT day FROM atsgate.days WHERE attached")
    new_shared_store
    for day in $days; do ask "SELECT atsgate.make_day('$day')" >/dev/null; done
    now_us && begun=$now
    # As the administrator: a gate may add loads only by a function.
    "$psql" -Xq "$(login_url postgres)" -c "\\copy atsgate.load FROM '$work/spool.rows' (FORMAT binary)" || wrong=1
    now_us
    for scenario in fleet fleet-four fleet-behind; do
        note_rows "$scenario" "psql COPY" $((now - begun)) $wrong
    done
    rm "$work/spool.rows"
}

start_shared_gate() { start_gate fleet "${bench_origins[@]}" --store "$gate_url" "$@"; }

# Measures a gate that starts with everything in its spool, as after a day without a server.
catch_up() {
    local spool begun
    new_shared_store
    rm -rf "$XDG_DATA_HOME/atsgate/spool"
    start_shared_gate
    stop "$started"
    spool=$(echo "$XDG_DATA_HOME"/atsgate/spool/*.sqlite)
    rm -f "$spool"*
    cp "$work/spool.sqlite" "$spool"
    now_us && begun=$now
    start_shared_gate
    wait_for_server "$fleet_loads"
    now_us
    note_rows fleet-behind "$subject" $((now - begun)) 0
    stop "$started"
}

# Waits until the server has the given number of loads. Polls slowly, so that it takes no CPU time from shipping.
wait_for_server() {
    deadline_seconds=600 between_looks=0.25 wait_until "shipped loads" "$started" has_loads "$1"
}

# The additional CPU time of a gate that ships, compared with the gate without it.
add_up_cpu() {
    local alone
    start_gate file "${bench_origins[@]}" --store "$work/fleet/file.sqlite"
    cpu_of_loads file
    alone=$figure
    note fleet-cpu "in all, to a file" "$figure" "$(number rps "$line")" - - "$wrong" "$requests"
    stop "$started"
    new_shared_store
    start_shared_gate
    cpu_of_loads server
    note fleet-cpu "in all" "$figure" "$(number rps "$line")" - - "$wrong" "$requests"
    note fleet-cpu atsgate "$(calculate "$figure - $alone")" - - - 0 "$requests"
    stop "$started"
    rm -f "$work"/fleet/file.sqlite*
}

# cpu_of_loads file|server: the CPU time of the last started gate, in milliseconds per thousand loads, until all are
# stored. Sets figure, line, requests and wrong.
cpu_of_loads() {
    local before
    before=$(settled_cpu_ms "$started")
    line=$("$bin/loader" load --url "${plain_url/PATH/1k}" --proxy "127.0.0.1:$port" --size 1024 --connections 32 \
        --seconds 300 --loads $((fleet_loads / 10)) 2>>"$work/loader.log") || true
    requests=$(number requests "$line")
    wrong=$(($(number errors "$line") + $(number bad "$line")))
    [ "$1" = file ] || wait_for_server "$requests"
    figure=$(calculate "($(settled_cpu_ms "$started") - $before) * 1000 / ($requests + 1e-9)")
}

# Few loads at a time, so that waiting for the CPU is not measured.
hold_server() {
    start_gate file "${bench_origins[@]}" --store "$work/fleet/file.sqlite"
    wait_for_loads "to a file"
    stop "$started"
    new_shared_store
    start_shared_gate --ship-timeout 60s
    wait_for_loads "server answers"
    tell_server hold
    wait_for_loads atsgate
    tell_server go
    stop "$started"
}

wait_for_loads() {
    local line p99
    line=$("$bin/loader" load --url "${plain_url/PATH/1k}" --proxy "127.0.0.1:$port" --size 1024 --connections 4 \
        --pause 5 --seconds "$fleet_seconds" 2>>"$work/loader.log") || true
    p99=$(number p99 "$line")
    note fleet-held "$1" "$(calculate "$p99 / 1000")" "$(number rps "$line")" "$(number p50 "$line")" "$p99" \
        "$(($(number errors "$line") + $(number bad "$line")))" "$(number requests "$line")"
}

read_all() {
    fill_spool spool "$fleet_loads"
    new_shared_store
    "$gate_program" recordings import "$work/spool.sqlite" --store "$gate_url" >>"$work/ship.log" 2>&1
    # Without a delay: the server has no statistics on its tables yet, and must not need them.
    for ((rep = 0; rep < reps; rep++)); do
        read_reports "$subject" "$gate_url"
        read_reports "one file" "$work/spool.sqlite"
    done
    if of_fleet fleet-page; then page_ten_times_as_many; fi
}

# read_reports SUBJECT STORE
read_reports() {
    time_reading fleet-report "$1" report --format text --store "$2"
    time_reading fleet-json "$1" report --format json --store "$2"
    time_reading fleet-replay "$1" replay --policy config/dictionaries/strict.plist --store "$2"
}

# time_reading SCENARIO SUBJECT WORDS...: exit code 1 only means that loads were blocked.
time_reading() {
    local scenario=$1 who=$2 begun status=0
    shift 2
    now_us && begun=$now
    "$gate_program" "$@" --recording filled >"$work/read.txt" 2>>"$work/read.log" || status=$?
    now_us
    [ $status -gt 1 ] || [ ! -s "$work/read.txt" ] || status=0
    note "$scenario" "$who" "$(calculate "($now - $begun) / 1e6")" - - - $status "$fleet_loads"
}

# The page of a gate shows the newest of ten times as many loads, on ten days.
page_ten_times_as_many() {
    local free needed day turn
    free=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
    needed=$((fleet_loads * 16))
    if [ "$free" -lt $needed ]; then
        say "LEFT OUT  fleet-page: $((needed / 1000000)) GB on the disk are needed"
        return 0
    fi
    for day in 1 2 3 4 5 6 7 8 9; do add_day $day; done
    ask "UPDATE atsgate.tally SET loads = loads * 10, last_time = last_time + interval '9 days'"
    ask "VACUUM (ANALYZE) atsgate.load"
    start_shared_gate --web 127.0.0.1:0 --web-url-file "$work/page"
    wait_until "page" "$started" test -s "$work/page"
    for ((turn = 0; turn < 20; turn++)); do time_page "$(cat "$work/page")"; done
    stop "$started"
}

# Copies the loads of the first day to a day $1 days later.
add_day() {
    ask "DO \$\$ BEGIN PERFORM atsgate.make_day(min(day) + $1) FROM atsgate.days; END \$\$"
    ask "INSERT INTO atsgate.load
        SELECT gate, seq + $1 * $fleet_loads, id, time + interval '$1 days', shared, diagnosis, path, client, method,
            status, sent, received, connect, handshake, first_byte, total, task, task_number, more FROM atsgate.load
        WHERE time < (SELECT (min(day) + 1)::timestamp AT TIME ZONE 'UTC' FROM atsgate.days)"
}

# time_page URL-WITH-TOKEN
time_page() {
    local seconds wrong=0 page=${1%%/\?*}
    seconds=$(curl --silent --show-error --noproxy '*' --max-time 60 --output "$work/read.txt" \
        --write-out '%{time_total}' --header "Authorization: Bearer ${1##*token=}" \
        "$page/api/v1/records?recording=filled&limit=100") || wrong=1
    [ "$(grep -o '"recording":"filled"' "$work/read.txt" | wc -l)" -ge 100 ] || wrong=1
    note fleet-page "$subject" "$(calculate "${seconds:-0} * 1000")" - - - $wrong 1
}
