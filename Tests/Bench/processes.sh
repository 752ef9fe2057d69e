# shellcheck shell=bash disable=SC2034,SC2154
# Starting, stopping, waiting and reading processes, for bench.sh. Needs: work, running, say.

deadline_seconds=60
between_looks=0.02

# comes PID COMMAND...: waits until COMMAND succeeds; false if process PID ends before, or the deadline passes.
comes() {
    local pid=$1 end=$((SECONDS + deadline_seconds))
    shift
    until "$@" 2>/dev/null; do
        if ! kill -0 "$pid" 2>/dev/null || [ $SECONDS -ge $end ]; then return 1; fi
        sleep $between_looks
    done
}

# wait_until WORDS PID COMMAND...: the same, but ends the script on failure.
wait_until() {
    local words=$1
    shift
    comes "$@" && return
    say "no $words"
    tail -n 5 "$work"/*.log >&2 || true
    exit 2
}

# True if a process listens on a port of this machine.
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Sets `port` to an unused one, for programs that cannot choose a free port themselves.
free_port() {
    while :; do
        port=$((20000 + RANDOM % 12000))
        listens $port || return 0
    done
}

# Ends one process and waits for it.
stop() {
    kill "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
    forget "$1"
}

# Forgets an ended process, whose number may be reused.
forget() {
    local pid rest=()
    for pid in "${running[@]}"; do [ "$pid" = "$1" ] || rest+=("$pid"); done
    running=(${rest[@]+"${rest[@]}"})
}

if [ -r /proc/self/stat ]; then
    ticks=$(getconf CLK_TCK)
    # User and system time, the 14th and 15th field; the second, in parentheses, may contain spaces (proc(5)).
    own_cpu_ms() {
        sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk -v t="$ticks" '{ printf "%d", ($12 + $13) * 1000 / t }'
    }
    # The peak is the system's own high-water mark, which writing 5 resets (proc(5), clear_refs).
    reset_peak() {
        local pid
        for pid in $(family "$1"); do echo 5 >"/proc/$pid/clear_refs" || true; done 2>/dev/null
    }
    # The highest memory of process $1 since then, once process $2 has ended.
    peak_kib() {
        local pid own sum=0
        while kill -0 "$2" 2>/dev/null; do sleep 0.05; done
        for pid in $(family "$1"); do
            own=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) || own=0
            sum=$((sum + ${own:-0}))
        done
        echo "$sum"
    }
else
    # [[hours:]minutes:]seconds.hundredths
    own_cpu_ms() {
        ps -o cputime= -p "$1" | awk -F: '{ s = 0; for (i = 1; i <= NF; i++) s = s * 60 + $i; printf "%d", s * 1000 }'
    }
    reset_peak() { :; }
    peak_kib() {
        local peak=0 now
        while kill -0 "$2" 2>/dev/null; do
            now=$(rss_kib "$1")
            [ "$now" -le "$peak" ] || peak=$now
            sleep 0.02
        done
        echo "$peak"
    }
fi

# A process and its children; empty for 0.
family() {
    [ "$1" != 0 ] || return 0
    echo "$1"
    pgrep -P "$1" || true
}

# The CPU time of a process and its children, in milliseconds.
cpu_ms() {
    local sum=0 pid own
    for pid in $(family "$1"); do
        own=$(own_cpu_ms "$pid")
        sum=$((sum + ${own:-0}))
    done
    echo "$sum"
}

# The same once it no longer changes: records go to the store a little later than answers to the client.
settled_cpu_ms() {
    local last=-1 now end=$((SECONDS + 10))
    [ "$1" != 0 ] || { echo 0; return; }
    now=$(cpu_ms "$1")
    while [ "$now" != "$last" ] && [ $SECONDS -lt $end ]; do
        last=$now
        sleep 0.1
        now=$(cpu_ms "$1")
    done
    echo "$now"
}

# The resident memory of a process and its children.
rss_kib() {
    local pid own sum=0
    for pid in $(family "$1"); do
        own=$(ps -o rss= -p "$pid") || own=0
        sum=$((sum + ${own:-0}))
    done
    echo "$sum"
}

# Microseconds since 1970. Bash has a variable for it since 5.0; macOS has 3.2.
if [ -n "${EPOCHREALTIME-}" ]; then
    now_us() { now=${EPOCHREALTIME//[.,]/}; }
else
    now_us() { now=$(perl -MTime::HiRes=time -e 'printf "%d", time * 1e6'); }
fi

load_average() {
    if [ -r /proc/loadavg ]; then cut -d' ' -f1-3 /proc/loadavg; else sysctl -n vm.loadavg | tr -d '{}' | xargs; fi
}
