# Medians of the runs as a table on standard output, and as JSON in the file `json`. For bench.sh.
# First input: scenario, subject, requests, CPU ms, rps, p50, p99, wrong. Second: what, idle, growth, unit, goal, seconds.

BEGIN {
    FS = "\t"
    titles["plain"] = "http, keep-alive, 1 KiB, 32 connections"
    titles["intercepted"] = "https intercepted, keep-alive, 1 KiB, 32 connections"
    titles["fresh"] = "https intercepted, a new connection for each load, 32 at a time"
    scenarioCount = split("plain intercepted fresh", scenarios, " ")
}

FNR == 1 { fileNumber++ }

fileNumber == 1 {
    key = $1 FS $2
    if (!(key in runs)) order[++rows] = key
    n = ++runs[key]
    rps[key, n] = $5; p50[key, n] = $6; p99[key, n] = $7
    cpu[key, n] = $3 > 0 ? $4 * 1000 / $3 : 0
    wrong[key] += $8
    allWrong += $8
}

fileNumber == 2 { memory[++memories] = $0 }

function median(values, key,    count, i, j, kept, list) {
    count = runs[key]
    for (i = 1; i <= count; i++) list[i] = values[key, i] + 0
    for (i = 2; i <= count; i++) {
        kept = list[i]
        for (j = i - 1; j >= 1 && list[j] > kept; j--) list[j + 1] = list[j]
        list[j + 1] = kept
    }
    return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
}

function ratio(value, base) { return base > 0 && value > 0 ? sprintf("%.2f", value / base) : "-" }

function text(value) { gsub(/["\\]/, "", value); return "\"" value "\"" }

END {
    printf "%s, %d cores; medians of %d x %d s; load average %s before, %s after\n", \
        platform, cores, reps, secs, load_before, load_after
    printf "{\"system\":%s,\"cores\":%d,\"seconds\":%d,\"runs\":%d,\"loadBefore\":%s,\"loadAfter\":%s,\"speed\":[", \
        text(platform), cores, secs, reps, text(load_before), text(load_after) > json
    for (s = 1; s <= scenarioCount; s++) speedTable(scenarios[s])
    printf "],\"memory\":[" > json
    memoryTable()
    printf "],\"decision\":{\"nanoseconds\":%d,\"worstNanoseconds\":%d,\"goalBelow\":5000}}\n", decision, slowest > json
    printf "\none ruling with its verdict: %d ns of CPU time in the median round, %d ns in the slowest; goal below 5000 ns\n", \
        decision, slowest
    if (recorded != "") printf "\n%s\n", recorded
    printf "\nalso in %s\n", json
    if (allWrong > 0) { printf "%d loads went wrong\n", allWrong; exit 1 }
}

function speedTable(scenario,    r, key, part, c, q, base, own) {
    base = scenario FS "direct"
    own = scenario FS "atsgate"
    printf "\n%s\n", titles[scenario]
    printf "  %-22s %14s %10s %10s %10s %9s %9s %7s\n", "", "CPU ms/1000", "x atsgate", "req/s", "x direct", \
        "p50 ms", "p99 ms", "wrong"
    for (r = 1; r <= rows; r++) {
        key = order[r]
        split(key, part, FS)
        if (part[1] != scenario) continue
        c = median(cpu, key)
        q = median(rps, key)
        printf "  %-22s %14s %10s %10.0f %10s %9.2f %9.2f %7d\n", part[2], (key == base ? "-" : sprintf("%.1f", c)), \
            ratio(c, median(cpu, own)), q, ratio(q, median(rps, base)), median(p50, key) / 1000, \
            median(p99, key) / 1000, wrong[key]
        printf "%s{\"scenario\":%s,\"subject\":%s,\"cpuMillisecondsPer1000\":%.2f,\"requestsPerSecond\":%.0f,", \
            (written++ ? "," : ""), text(scenario), text(part[2]), c, q > json
        printf "\"p50Microseconds\":%d,\"p99Microseconds\":%d,\"wrong\":%d,\"runs\":%d}", \
            median(p50, key), median(p99, key), wrong[key], runs[key] > json
    }
}

function memoryTable(    m, part) {
    printf "\nresident memory of the gate; bodies of %.1f GB\n", body / 1e9
    printf "  %-28s %12s %18s %12s %10s\n", "", "idle MiB", "above idle", "goal below", "MB/s"
    for (m = 1; m <= memories; m++) {
        split(memory[m], part, FS)
        printf "  %-28s %12d %18s %12s %10s\n", part[1], part[2], \
            (part[3] " " part[4] (part[4] == "KiB" ? " each" : "")), part[5] " " part[4], \
            (part[6] > 0 ? sprintf("%.0f", body / 1e6 / part[6]) : "-")
        printf "%s{\"what\":%s,\"idleMiB\":%d,\"aboveIdle\":%s,\"unit\":%s,\"goalBelow\":%s,\"seconds\":%s}", \
            (m > 1 ? "," : ""), text(part[1]), part[2], part[3], text(part[4]), part[5], part[6] > json
    }
}
