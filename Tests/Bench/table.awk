# Medians of the runs as one table on standard output, and as JSON in the file `json`. For bench.sh.
# First input: goals.txt. Second: scenario, subject, figure, rate, p50, p99, wrong, answered, with "-" for none.

FNR == 1 { fileNumber++ }

fileNumber == 1 && !/^#/ {
    split($0, part, "|")
    name = part[1]
    scenarios[++scenarioCount] = name
    title[name] = part[2]
    unit[name] = part[3]
    rateUnit[name] = part[4]
    against[name] = part[5]
    goal[name, "atsgate"] = part[6]
    goal[name, "atsgate --store none"] = part[7]
}

fileNumber == 2 {
    split($0, part, "\t")
    key = part[1] SUBSEP part[2]
    if (!(key in wrong)) order[++rows] = key
    for (column = 3; column <= 6; column++)
        if (part[column] != "-") values[key, column, ++counts[key, column]] = part[column]
    wrong[key] += part[7]
    allWrong += part[7]
}

# The median of a column; "" if it is empty.
function median(key, column,    count, i, j, kept, list) {
    count = counts[key, column] + 0
    if (count == 0) return ""
    for (i = 1; i <= count; i++) {
        kept = values[key, column, i] + 0
        for (j = i - 1; j >= 1 && list[j] > kept; j--) list[j + 1] = list[j]
        list[j + 1] = kept
    }
    return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
}

# The divisor for a scenario's figures; "" if there is no such peer.
function base(name,    r, part, value, least) {
    if (against[name] != "best") return median(name SUBSEP against[name], 3)
    least = ""
    for (r = 1; r <= rows; r++) {
        split(order[r], part, SUBSEP)
        if (part[1] != name || part[2] ~ /^atsgate/) continue
        value = median(order[r], 3)
        if (value != "" && (least == "" || value < least)) least = value
    }
    return least
}

# Three significant digits.
function short(value) {
    if (value == "") return "-"
    return sprintf(value >= 100 || value <= -100 ? "%.0f" : value >= 10 || value <= -10 ? "%.1f" : "%.2f", value)
}

function text(value) { gsub(/["\\]/, "", value); return "\"" value "\"" }
function known(value) { return value == "" ? "null" : value "" }

BEGIN { line = "  %-22s %12s %12s %8s %-12s %6s %4s %9s %9s %6s\n" }

END {
    printf "%s, %d cores; medians of %d x %d s, large bodies of %.1f GB; load average %s before, %s after; %d s\n", \
        platform, cores, reps, secs, large / 1e9, load_before, load_after, took
    printf "{\"system\":%s,\"cores\":%d,\"seconds\":%d,\"runs\":%d,\"largeBytes\":%s,", \
        text(platform), cores, secs, reps, large > json
    printf "\"loadBefore\":%s,\"loadAfter\":%s,\"rows\":[", text(load_before), text(load_after) > json
    for (s = 1; s <= scenarioCount; s++) tell(scenarios[s])
    printf "]}\n" > json
    printf "\ngoals: %d met, %d not met, %d open\n", met["yes"], met["no"], met["-"]
    if (recorded != "") print recorded
    print "also in " json
    if (allWrong > 0) { printf "%d loads went wrong\n", allWrong; exit 1 }
}

function tell(name,    r, part, divisor, headed) {
    divisor = base(name)
    for (r = 1; r <= rows; r++) {
        split(order[r], part, SUBSEP)
        if (part[1] != name) continue
        if (!headed++) {
            printf "\n%s\n", title[name]
            printf line, "", unit[name], rateUnit[name], "ratio", "", "goal", "met", "p50 ms", "p99 ms", "wrong"
        }
        row(name, part[2], order[r], divisor)
    }
}

function row(name, who, key, divisor,    figure, rate, ratio, aim, verdict, isRatio, isFigure, reached) {
    figure = median(key, 3)
    rate = median(key, 4)
    isRatio = against[name] != "" && against[name] != "-"
    ratio = isRatio && figure != "" && divisor > 0 ? figure / divisor : ""
    aim = goal[name, who]
    isFigure = sub(/^=/, "", aim) || !isRatio
    reached = isFigure ? figure : ratio
    verdict = aim == "" ? "" : reached == "" ? "-" : reached <= aim + 0 ? "yes" : "no"
    if (verdict != "") met[verdict]++
    printf line, who, short(figure), (rate == "" ? "-" : sprintf("%.0f", rate)), \
        (ratio == "" ? "-" : sprintf("%.2f", ratio)), (ratio == "" ? "" : "x " against[name]), aim, verdict, \
        milliseconds(median(key, 5)), milliseconds(median(key, 6)), wrong[key]
    printf "%s{\"scenario\":%s,\"subject\":%s,\"unit\":%s,\"figure\":%s,\"rate\":%s,\"rateUnit\":%s,\"ratio\":%s,", \
        (written++ ? "," : ""), text(name), text(who), text(unit[name]), known(figure), known(rate), \
        text(rateUnit[name]), known(ratio) > json
    printf "\"against\":%s,\"goal\":%s,\"met\":%s,", (isRatio ? text(against[name]) : "null"), known(aim), \
        (verdict == "yes" ? "true" : verdict == "no" ? "false" : "null") > json
    printf "\"p50Microseconds\":%s,\"p99Microseconds\":%s,\"wrong\":%d}", \
        known(median(key, 5)), known(median(key, 6)), wrong[key] > json
}

function milliseconds(value) { return value == "" ? "-" : sprintf("%.2f", value / 1000) }
