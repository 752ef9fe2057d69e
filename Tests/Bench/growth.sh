# shellcheck shell=bash disable=SC2034,SC2154
# How the cost of a load grows, for bench.sh: with the dictionary's entries, with idle tunnels, and with host names.
# Needs: work, bin, secs, reps, wanted, note, and the other files of this folder.
#
# Each figure is compared with one of a small gate that runs at the same time, measured directly before.

run_growth() {
    if any_wanted entries-check entries-1000 entries-100000; then grow_entries; fi
    if any_wanted tunnels-1000 tunnels-many; then grow_tunnels; fi
    if any_wanted hosts-50 hosts-500; then grow_hosts; fi
}

# Parallel lists of gates: the number of things that each has, its process, and its port.
sizes=() gates=() gate_ports=()

add_gate() { sizes+=("$1") gates+=("$started") gate_ports+=("$port"); }

stop_gates() {
    local pid
    for pid in "${gates[@]}"; do stop "$pid"; done
    sizes=() gates=() gate_ports=()
}

# compare_gates NAME: plain loads through each gate, as scenario NAME-SIZE, after the same through the first gate.
compare_gates() {
    local name=$1 i rep
    for ((rep = 0; rep < reps; rep++)); do
        for ((i = 1; i < ${#sizes[@]}; i++)); do
            wanted "$name-${sizes[i]}" || continue
            plain_loads "$name-${sizes[i]}" "with ${sizes[0]}" 0
            plain_loads "$name-${sizes[i]}" atsgate "$i"
        done
    done
}

# plain_loads SCENARIO SUBJECT INDEX
plain_loads() {
    measure "$1" "$2" "${gates[$3]}" 0 load --size 1024 --url "${plain_url/PATH/1k}" \
        --proxy "127.0.0.1:${gate_ports[$3]}" --connections 32 --seconds "$secs"
}

grow_entries() {
    local count policy
    for count in 1 1000 100000; do
        policy=$work/entries-$count.plist
        make_dictionary $count >"$policy"
        start_gate "entries-$count" "${bench_origins[@]}" --store "$work/entries-$count.sqlite"
        add_gate $count
        # A gate checks its dictionary in the background; the loads are measured afterwards.
        note entries-check "$count" "$(settled_cpu_ms "$started")" - - - 0 1
    done
    compare_gates entries
    stop_gates
}

# make_dictionary COUNT: prints a dictionary with so many entries for other hosts.
make_dictionary() {
    awk -v count="$1" 'BEGIN {
        print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict><key>NSAllowsArbitraryLoads</key><true/>"
        print "<key>NSExceptionDomains</key><dict>"
        for (i = 1; i <= count; i++)
            printf "<key>api-%d.example.com</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>\n", i
        print "</dict></dict></plist>"
    }'
}

grow_tunnels() {
    local count
    for count in 10 1000 many; do
        start_gate "tunnels-$count" "${bench_origins[@]}" --store "$work/tunnels-$count.sqlite"
        add_gate $count
        [ $count != many ] || count=20000
        hold_tunnels $count --url "${tunnel_url/PATH/1k}" --proxy "127.0.0.1:$port"
        [ "$failed" = 0 ] || note "tunnels-${sizes[${#sizes[@]} - 1]}" atsgate - - - - "$failed" 0
        say "$held idle tunnels"
    done
    compare_gates tunnels
    release_tunnels
    stop_gates
}

# One gate, which has a leaf for each name.
grow_hosts() {
    local count rep
    start_gate hosts "${bench_origins[@]}" --store "$work/hosts.sqlite"
    "$bin/loader" names --count 500 --size 1024 --url "${tls_url/PATH/1k}" --proxy "127.0.0.1:$port" >/dev/null
    for ((rep = 0; rep < reps; rep++)); do
        for count in 50 500; do
            wanted "hosts-$count" || continue
            fresh_loads "hosts-$count" "with 1" 1
            fresh_loads "hosts-$count" atsgate "$count"
        done
    done
    stop "$started"
}

# fresh_loads SCENARIO SUBJECT NAMES
fresh_loads() {
    measure "$1" "$2" "$started" 0 fresh --size 1024 --names "$3" --url "${tls_url/PATH/1k}" \
        --proxy "127.0.0.1:$port" --connections 32 --seconds "$secs"
}
