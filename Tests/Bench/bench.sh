#!/usr/bin/env bash
# What the gate costs: loads through it beside loads without it, and beside other proxies where they are installed.
#
#   Tests/Bench/bench.sh [--quick] [--no-peers]
#
# SECS and REPS set seconds per run (5) and runs per figure (3); the table has medians. The full run takes up to ten
# minutes after the build, --quick up to two. CPU time per 1,000 loads is the figure to compare: requests per second
# swing with whatever else the machine does, and clients and origins share its cores with the gate. Compare only
# figures of one run. Nothing here fails for being slow; loads that go wrong make it exit with 1.
#
# Writes .build/bench/results.json. Works on Linux and macOS; ends what it started by its process number.
set -euo pipefail
exec </dev/null
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

secs=${SECS:-5} reps=${REPS:-3} body_bytes=5000000000 tunnels=1000 peers=yes
for option in "$@"; do
    case $option in
        --quick) secs=${SECS:-2} reps=${REPS:-1} body_bytes=500000000 ;;
        --no-peers) peers=no ;;
        *)
            echo "bench: unknown option $option" >&2
            exit 64
            ;;
    esac
done
connections=32
results=.build/bench

say() { printf 'bench: %s\n' "$*" >&2; }

# A tunnel takes two descriptors in the gate.
ulimit -n 8192 2>/dev/null || ulimit -n "$(ulimit -Hn)"

work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-bench.XXXXXX")
running=()
end_all() {
    local pid
    for pid in ${running[@]+"${running[@]}"}; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap end_all EXIT
trap 'exit 130' INT TERM

# shellcheck source=Tests/Bench/processes.sh
. "$here/processes.sh"
# shellcheck source=Tests/Bench/subjects.sh
. "$here/subjects.sh"
# shellcheck source=Tests/Bench/peers.sh
. "$here/peers.sh"

say "build"
swift build -c release --product atsgate >&2
swift build -c release --product loader >&2
bin=$(swift build -c release --show-bin-path)

# The value of a number in a line of JSON.
number() { sed -n "s/.*\"$1\":\([-+.0-9eE]*\).*/\1/p" <<<"$2"; }

# measure SCENARIO SUBJECT PID COMMAND...: one run; PID 0 is nobody's, for loads without a proxy.
measure() {
    local scenario=$1 subject=$2 pid=$3 before after line
    shift 3
    before=$(cpu_ms "$pid")
    line=$("$bin/loader" "$@" 2>>"$work/loader.log") || true
    after=$(settled_cpu_ms "$pid")
    [ -n "$line" ] || line='{"requests":0,"rps":0,"p50":0,"p99":0,"errors":1,"bad":0}'
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$scenario" "$subject" "$(number requests "$line")" \
        "$((after - before))" "$(number rps "$line")" "$(number p50 "$line")" "$(number p99 "$line")" \
        "$(($(number errors "$line") + $(number bad "$line")))" >>"$work/speed.tsv"
    say "$(printf '%-12s %-18s %6.0f req/s' "$scenario" "$subject" "$(number rps "$line")")"
}

# speed SUBJECT PID MODE...: the scenarios that a subject takes part in, given as SCENARIO=AIM.
speed() {
    local subject=$1 pid=$2 pair mode
    shift 2
    for pair in "$@"; do
        mode=load
        [ "${pair%%=*}" != fresh ] || mode=fresh
        # shellcheck disable=SC2086  # an aim is several words
        measure "${pair%%=*}" "$subject" "$pid" $mode ${pair#*=} --size 1024 --connections $connections --seconds "$secs"
    done
}

# memory_of_body WHAT AIM...: a new gate, its memory idle, and how far above that one body takes it.
memory_of_body() {
    local what=$1 idle peak
    shift
    start_gate memory "--store $work/memory.sqlite"
    idle=$(rss_kib "$started")
    reset_peak "$started"
    "$bin/loader" body "$@" >"$work/body.json" 2>>"$work/loader.log" &
    peak=$(peak_kib "$started" $!)
    wait $! || say "the body did not go through: $(cat "$work/body.json")"
    printf '%s\t%s\t%s\tMiB\t64\t%s\n' "$what" "$((idle / 1024))" "$(((peak - idle) / 1024))" \
        "$(number seconds "$(cat "$work/body.json")")" >>"$work/memory.tsv"
    stop "$started"
}

# memory_of_tunnels WHAT GOAL URL: the same, for each of many tunnels in which nothing happens.
memory_of_tunnels() {
    local what=$1 goal=$2 url=$3 idle full held
    start_gate memory "--store $work/memory.sqlite"
    idle=$(rss_kib "$started")
    rm -f "$work/idle.json"
    mkfifo "$work/open"
    # The loader lets go of its tunnels when its standard input ends.
    "$bin/loader" idle --url "$url" --proxy "127.0.0.1:$port" --count "$tunnels" <"$work/open" >"$work/idle.json" &
    local loader=$!
    running+=("$loader")
    exec 9>"$work/open"
    wait_until "tunnels" "$loader" test -s "$work/idle.json"
    held=$(number held "$(cat "$work/idle.json")")
    full=$(rss_kib "$started")
    exec 9>&-
    wait "$loader" || true
    rm "$work/open"
    printf '%s\t%s\t%s\tKiB\t%s\t%s\n' "$what, $held" "$((idle / 1024))" \
        "$(awk -v k=$((full - idle)) -v n="${held:-0}" 'BEGIN { printf "%.1f", (n > 0 ? k / n : -1) }')" "$goal" 0 \
        >>"$work/memory.tsv"
    stop "$started"
}

start_origin
start_lab
say "load average before: $(load_average)"
load_before=$(load_average)

start_gate store "--store $work/records.sqlite"
gate=$started gate_port=$port
prove_interception
start_gate none "--store none"
bare=$started bare_port=$port
if [ $peers = yes ]; then start_peers; fi

through() { echo "--url $1 --proxy 127.0.0.1:$2"; }
for rep in $(seq "$reps"); do
    say "run $rep of $reps"
    speed direct 0 "plain=$direct_plain" "intercepted=$direct_tls" "fresh=$direct_tls"
    speed atsgate "$gate" "plain=$(through "$plain_url" "$gate_port")" \
        "intercepted=$(through "$tls_url" "$gate_port")" "fresh=$(through "$tls_url" "$gate_port")"
    speed "atsgate --store none" "$bare" "plain=$(through "$plain_url" "$bare_port")" \
        "intercepted=$(through "$tls_url" "$bare_port")" "fresh=$(through "$tls_url" "$bare_port")"
    if [ $peers = yes ]; then measure_peers; fi
done
stop "$gate"
# Loads that were under way when a run was over count as failed; each that was answered must be there.
recorded="the gate recorded $(sed -n 's/^atsgate: \([0-9]* loads: .*\)/\1/p' "$work/gate-store.log")"
recorded="$recorded; answered: $(awk -F '\t' '$2 == "atsgate" { n += $3 } END { print n + 1 }' "$work/speed.tsv")"
stop "$bare"

say "memory"
lab_plain=http://cleartext.lab.test lab_tls=https://good.lab.test
for pair in "plain $lab_plain" "intercepted $lab_tls"; do
    kind=${pair%% *} url=${pair#* }
    memory_of_body "download, $kind" --url "$url/bytes/$body_bytes" --proxy "127.0.0.1:$memory_port" --size "$body_bytes"
    memory_of_body "upload, $kind" --url "$url/upload" --proxy "127.0.0.1:$memory_port" --upload "$body_bytes"
done
memory_of_tunnels "tunnels, intercepted" 80 $lab_tls/
memory_of_tunnels "tunnels, passthrough" 20 https://good12.lab.test/

say "decisions"
decision=$("$bin/loader" law)

mkdir -p "$results"
awk -v json="$results/results.json" -v load_before="$load_before" -v load_after="$(load_average)" \
    -v cores="$(getconf _NPROCESSORS_ONLN)" -v platform="$(uname -sm)" -v secs="$secs" -v reps="$reps" \
    -v body="$body_bytes" -v recorded="$recorded" -v decision="$(number nanoseconds "$decision")" \
    -v slowest="$(number worstNanoseconds "$decision")" -f "$here/table.awk" "$work/speed.tsv" "$work/memory.tsv"
