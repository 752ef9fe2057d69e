#!/usr/bin/env bash
# The metrics of a real gate whose shared store is unreachable, after loads of every kind, read by Prometheus' own tool;
# and the alert rules, checked and tested by it. `.ci/install.sh fleet` installs the libpq that the gate needs.
#
#   Tests/Peers/metrics.sh
#   PEERS_GATE=.build/release/atsgate Tests/Peers/metrics.sh
#
# Exit: 0, 1 with the tool's complaints, 2 if it could not start.
cd "$(dirname "$0")/../.." || exit
deadline_seconds=120
. Tests/Peers/preamble.sh metrics

# Installed by .ci/install.sh peers.
promtool=$(command -v promtool || echo .build/prometheus/usr/bin/promtool)
[ -x "$promtool" ] || { echo "metrics: no promtool; see .ci/install.sh peers" >&2 && exit 2; }

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && exit 2; }
fi
gate_program=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
# The folder for the spool.
export XDG_DATA_HOME=$work/data
mkdir "$work/data"

say "the alert rules"
"$promtool" check rules config/prometheus/alerts.yml
sed "s|ALERTS|$PWD/config/prometheus/alerts.yml|" Tests/Peers/alerts.test.yml >"$work/alerts.test.yml"
"$promtool" test rules "$work/alerts.test.yml"

say "the metrics, before the first load and after loads of every kind"
"$gate_program" lab --write-config "$work/lab.conf" >"$work/lab.txt" 2>"$work/lab.log" &
running+=("$!")
wait_for "$work/lab.conf" "$!"
"$gate_program" proxy --config "$work/lab.conf" --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --port-file "$work/port" \
    --ca-dir "$work/ca" --store "postgres://nobody@/away?host=$work" --ship-timeout 1ms --web off 2>"$work/gate.log" &
gate=$!
running+=("$gate")
wait_for "$work/port" "$gate"
numbers=http://127.0.0.1:$(tail -n 1 "$work/port")/metrics
scrape() { curl --silent --show-error --fail --noproxy '*' --max-time 30 "$numbers" >"$work/$1.txt"; }
# number NAME SCRAPE: the sum of all series of a name; empty if it has none.
number() { awk -v name="$1" 'index($1 "{", name "{") == 1 { sum += $2; n++ } END { if (n) print sum }' "$work/$2.txt"; }
# promtool exits with 3 for remarks on style, which count as errors here.
read_by_tool() { "$promtool" check metrics <"$work/$1.txt"; }
scrape first
read_by_tool first
[ "$(number atsgate_loads_total first)" = 0 ] || { echo "loads before the first one" >&2 && exit 1; }

wanted=0
while read -r url; do
    curl --silent --noproxy '' --max-time 30 --proxy "http://127.0.0.1:$(head -n 1 "$work/port")" \
        --cacert "$work/ca/ca-cert.pem" --output /dev/null "$url" || true
    wanted=$((wanted + 1))
done < <(tail -n +2 "$work/lab.txt" | awk '{ print $1 }')
all_counted() {
    scrape last && [ "$(number atsgate_loads_total last)" -ge "$wanted" ] && [ "$(number atsgate_spool_rows last)" -ge "$wanted" ]
}
wait_until "$wanted loads in the metrics, and none of them shipped" "$gate" all_counted
read_by_tool last
[ "$(number atsgate_spool_connected last)$(number atsgate_spool_shipped_total last)" = 00 ] \
    || { echo "shipped to a server that is unreachable:" >&2 && grep atsgate_spool "$work/last.txt" >&2 && exit 1; }
say "$wanted loads: $(grep -c '^atsgate_loads_total' "$work/last.txt") series of loads, $(wc -l <"$work/last.txt") lines"
