#!/usr/bin/env bash
# Measures the gate's cost: loads through it compared with loads without it, and with other proxies if they are
# installed.
#
#   Tests/Bench/bench.sh [--quick] [--no-peers] [--long] [--only "SCENARIO..."]
#
#   --quick      one run of 2 s for each figure instead of the median of 3 runs of 3 s; a shared store of 100,000 loads
#   --no-peers   only the gate and the direct connection; goals that are ratios stay open
#   --long       also two million loads, with the gate's memory after each 250,000
#   --only       only these scenarios, by their names in goals.txt
#
# SECS and REPS set seconds per run and runs per figure, FLEET_LOADS the loads of the shared store (1,000,000, which
# need 16 GB of disk space), FLEET_HELD the seconds for which its server is stopped. Without a PostgreSQL server, that
# part is left out. By estimate, the full run takes 25 minutes after the build, --quick 6. Scenarios and goals are in
# goals.txt. CPU time is the figure to compare: loads per second vary with other work on the machine, and clients and
# origins share its cores with the gate. Compare only figures of one run. Slow results and missed goals do not fail;
# failed loads exit with 1.
#
# Writes .build/bench/results.json. Works on Linux and macOS; ends the processes that it started by their numbers.
set -euo pipefail
exec </dev/null
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

say() { printf 'bench: %s\n' "$*" >&2; }
refuse() {
    say "$1"
    exit "$2"
}

secs=${SECS:-3} reps=${REPS:-3} large_bytes=5000000000 peers=yes long=no only=
fleet_loads=${FLEET_LOADS:-1000000} fleet_seconds=${FLEET_HELD:-60}
while [ $# -gt 0 ]; do
    case $1 in
        --quick)
            secs=${SECS:-2} reps=${REPS:-1} large_bytes=500000000
            fleet_loads=${FLEET_LOADS:-100000} fleet_seconds=${FLEET_HELD:-10}
            ;;
        --no-peers) peers=no ;;
        --long) long=yes ;;
        --only)
            [ $# -gt 1 ] || refuse "--only needs names of scenarios" 64
            only=$2
            shift
            ;;
        -h | --help)
            sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"
            exit 0
            ;;
        *) refuse "unknown option $1" 64 ;;
    esac
    shift
done
for name in $only; do
    grep -q "^$name|" "$here/goals.txt" || refuse "unknown scenario $name; see Tests/Bench/goals.txt" 64
    [ "$name" != long ] || long=yes
done
# True if a scenario is selected.
wanted() { [ -z "$only" ] || [[ " $only " == *" $1 "* ]]; }

PATH=$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin
command -v nginx >/dev/null || refuse "nginx, the origin, is missing: run .ci/install.sh bench" 69
# A tunnel needs two descriptors in the gate. Beyond the hard limit, this needs root.
ulimit -n 42000 2>/dev/null || ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
fleet_loads=$((fleet_loads / 4 * 4))
descriptors=$(ulimit -n)
[ "$descriptors" != unlimited ] || descriptors=20000

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
# shellcheck source=Tests/Bench/measuring.sh
. "$here/measuring.sh"
# shellcheck source=Tests/Bench/memory.sh
. "$here/memory.sh"
# shellcheck source=Tests/Bench/beginnings.sh
. "$here/beginnings.sh"
# shellcheck source=Tests/Bench/growth.sh
. "$here/growth.sh"
# shellcheck source=Tests/Bench/redirected.sh
. "$here/redirected.sh"
# shellcheck source=Tests/Bench/database.sh
. "$here/database.sh"
# shellcheck source=Tests/Bench/fleet.sh
. "$here/fleet.sh"

# The released program, because memory and start-up depend on it.
say "build"
.ci/release.sh >&2
swift build -c release --product loader >&2
bin=$(swift build -c release --show-bin-path)
gate_program=.build/dist/atsgate

start_origin
load_before=$(load_average)
say "load average before: $load_before"
began=$SECONDS
: >"$work/runs.tsv"

loads=(plain intercepted http2 fresh latency-plain latency-tls plain-256 intercepted-256 http2-256 fresh-256)
bodies=(body-1 body-4 tunnel-body tunnel-setup)

# Loads first, while these subjects have done nothing else.
recorded=
if any_wanted "${loads[@]}"; then
    start_subjects
    for ((rep = 0; rep < reps; rep++)); do run_scenarios "${loads[@]}"; done
    stop_subjects
    recorded=$(tell_recorded)
fi
if any_wanted "${bodies[@]}"; then
    start_subjects
    for ((rep = 0; rep < reps; rep++)); do run_scenarios "${bodies[@]}"; done
    stop_subjects
fi
if wanted tunnel-redirected; then run_redirected; fi
if any_wanted "${fleet_rows[@]}"; then run_fleet; fi
if wanted names; then for ((rep = 0; rep < reps; rep++)); do run_names; done; fi
run_memory
run_growth
if wanted start; then run_starts; fi
if wanted decision; then run_decision; fi
if [ $long = yes ]; then run_long; fi

mkdir -p .build/bench
awk -v json=.build/bench/results.json -v load_before="$load_before" -v load_after="$(load_average)" \
    -v cores="$(getconf _NPROCESSORS_ONLN)" -v platform="$(uname -sm)" -v secs="$secs" -v reps="$reps" \
    -v large="$large_bytes" -v recorded="$recorded" -v took="$((SECONDS - began))" \
    -f "$here/table.awk" "$here/goals.txt" "$work/runs.tsv"
