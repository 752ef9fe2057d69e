# shellcheck shell=bash disable=SC2034,SC2154
# Loads, bodies and tunnels through each subject in turn, for bench.sh. Needs: work, bin, secs, wanted, and the other
# files of this folder.
#
# A line of runs.tsv: scenario, subject, figure, rate, p50, p99, wrong, answered; "-" for a missing value.

# The value of a number in a line of JSON; 0 if it is missing.
number() {
    local value
    value=$(sed -n "s/.*\"$1\":\([-+.0-9eE]*\).*/\1/p" <<<"$2")
    echo "${value:-0}"
}

calculate() { awk "BEGIN { printf \"%.4f\", $1 }"; }

note() {
    local IFS=$'\t'
    echo "$*" >>"$work/runs.tsv"
    say "$(printf '%-22s %-22s %12s %12.8s' "$1" "$2" "$3" "$4")"
}

any_wanted() {
    local name
    for name in "$@"; do ! wanted "$name" || return 0; done
    return 1
}

# Parallel lists of subjects: the processes, and how to reach them.
forget_subjects() { names=() pids=() parts=() plain_aims=() tls_aims=() tunnel_aims=() idles=(); }

# subject NAME PID SCENARIOS PLAIN TLS TUNNEL: adds a subject for SCENARIOS ("all" for all); the rest are the loader's
# options for reaching an origin through it. PID 0 is for loads without a proxy.
subject() {
    local memory=0
    [ "$2" = 0 ] || memory=$(rss_kib "$2")
    names+=("$1") pids+=("$2") parts+=(" $3 ") plain_aims+=("$4") tls_aims+=("$5") tunnel_aims+=("${6-}")
    idles+=("$memory")
}

# run_scenarios SCENARIO...: one run of each scenario for each subject; compared runs follow each other directly.
run_scenarios() {
    local scenario i
    for scenario in "$@"; do
        wanted "$scenario" || continue
        direct_p50=0
        for i in "${!names[@]}"; do
            case ${parts[i]} in
                " all " | *" $scenario "*) run_one "$scenario" "$i" ;;
            esac
        done
    done
}

# run_one SCENARIO INDEX: runs the loader with the scenario's options and the subject's way.
run_one() {
    local words aim count=32
    case $1 in
        *-256) count=256 ;;
        latency-* | body-1 | tunnel-body) count=1 ;;
        body-4) count=4 ;;
    esac
    case $1 in
        plain* | latency-plain) aim=${plain_aims[$2]/PATH/1k} ;;
        body-*) aim=${tls_aims[$2]/PATH/100m} ;;
        tunnel-body) aim=${tunnel_aims[$2]/PATH/100m} ;;
        tunnel-setup) aim=${tunnel_aims[$2]/PATH/1k} ;;
        *) aim=${tls_aims[$2]/PATH/1k} ;;
    esac
    case $1 in
        fresh* | tunnel-setup) words="fresh --size 1024" ;;
        http2*) words="load --size 1024 --http2" ;;
        *body*) words="load --size 104857600" ;;
        *) words="load --size 1024" ;;
    esac
    # shellcheck disable=SC2086  # both are several words
    measure "$1" "${names[$2]}" "${pids[$2]}" "${idles[$2]}" $words $aim --connections $count --seconds "$secs"
}

# measure SCENARIO SUBJECT PID IDLE LOADER-WORDS...: one run, with the command prefix `inside` if it is set. IDLE is the
# process's memory before its first load.
measure() {
    local scenario=$1 subject=$2 pid=$3 idle=$4 before spent peak line loader
    shift 4
    before=$(settled_cpu_ms "$pid")
    reset_peak "$pid"
    ${inside[@]+"${inside[@]}"} "$bin/loader" "$@" >"$work/line.json" 2>>"$work/loader.log" &
    loader=$!
    peak=$(peak_kib "$pid" $loader)
    wait $loader || true
    spent=$(($(settled_cpu_ms "$pid") - before))
    line=$(cat "$work/line.json")
    [ -n "$line" ] || line='{"errors":1}'
    judge_run "$scenario" "$subject" "$pid" "$spent" "$((peak - idle))" "$line"
}

judge_run() {
    local scenario=$1 subject=$2 pid=$3 spent=$4 growth=$5 line=$6 figure=- rate requests bytes p50 wrong
    requests=$(number requests "$line")
    rate=$(number rps "$line")
    p50=$(number p50 "$line")
    wrong=$(($(number errors "$line") + $(number bad "$line")))
    [ "$wrong" = 0 ] || say "$subject: $(sed -n 's/.*"trouble":"\([^"]*\)".*/\1/p' <<<"$line")"
    case $scenario in
        latency-*)
            if [ "$subject" = direct ]; then direct_p50=$p50; else figure=$((p50 - direct_p50)); fi
            ;;
        *body*)
            bytes=$(number bodyBytes "$line")
            rate=$(calculate "$bytes / 1e6 / ($(number seconds "$line") + 1e-9)")
            if [ "$pid" != 0 ]; then
                figure=$(calculate "$spent * 1e6 / ($bytes + 1)")
                [ "$scenario" = tunnel-body ] ||
                    note "$scenario-memory" "$subject" "$(calculate "$growth / 1024")" - - - 0 0
            fi
            ;;
        *) if [ "$pid" != 0 ]; then figure=$(calculate "$spent * 1000 / ($requests + 1e-9)"); fi ;;
    esac
    # A run without answers has no figure.
    [ "$requests" != 0 ] || figure=-
    note "$scenario" "$subject" "$figure" "$rate" "$p50" "$(number p99 "$line")" "$wrong" "$requests"
}

# A gate that has seen none of the names: each leaf is made during the run.
run_names() {
    local words="names --count 500 --connections 16 --size 1024 --url ${tls_url/PATH/1k}"
    start_gate cold "${bench_origins[@]}" --store "$work/cold.sqlite"
    # shellcheck disable=SC2086  # words are several
    measure names atsgate "$started" 0 $words --proxy "127.0.0.1:$port"
    stop "$started"
    start_gate cold "${bench_origins[@]}" --store none
    # shellcheck disable=SC2086
    measure names "atsgate --store none" "$started" 0 $words --proxy "127.0.0.1:$port"
    stop "$started"
    if [ "$peers" = no ] || ! start_peer sslsplit; then return 0; fi
    # shellcheck disable=SC2086
    measure names sslsplit "$sslsplit" 0 $words --connect-to "127.0.0.1:$sslsplit_port"
    stop "$sslsplit"
}
