#!/usr/bin/env bash
# Runs all tests but those of `make abuse` in three parallel runners: one for the tests of the command, one for those
# that start PostgreSQL or many gates, which both mostly wait, and one for the rest. Each runs one test after the other,
# so that deadlines hold even with two cores. The output of the first two is shown after that of the third.
#
# Exit: 0 if all tests passed that `swift test list` names, otherwise that of the last runner that failed, or 1.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

command='^CommandTests\.'
servers='^(Chaos|Endurance|Fleet|Postgres|Store)Tests\.'
not_here='^AbuseTests\.'

# As in the Makefile, which explains them.
options=(-c release --disable-testable-imports)
swift build -c release --build-tests --explicit-target-dependency-import-check error
list=$(swift test list "${options[@]}" --skip-build)
count=$(grep -E '^[A-Za-z0-9]+Tests\.' <<<"$list" | grep -cvE "$not_here") || true

# Nothing is built here, so the runners need no lock.
runner=(swift test "${options[@]}" --skip-build --ignore-lock --no-parallel --skip "$not_here")

log=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-tests.XXXXXX")
others=()
trap 'kill ${others[@]+"${others[@]}"} 2>/dev/null || true; rm -rf "$log"' EXIT
trap 'exit 130' INT TERM
for group in command servers; do
    "${runner[@]}" --filter "${!group}" >"$log/$group" 2>&1 &
    others+=($!)
done

status=0
"${runner[@]}" --skip "$command|$servers" 2>&1 | tee "$log/rest" || status=$?
for other in "${others[@]}"; do wait "$other" || status=$?; done
cat "$log/command" "$log/servers"

# The summary for readers of a long log. A runner that lost its output, or ended early with 0, has not passed.
grep -haE 'Test run with [0-9]+ tests' "$log"/* || true
passed=$(sed -nE 's/.*Test run with ([0-9]+) tests? in .* passed .*/\1/p' "$log"/* |
    awk '{ sum += $1 } END { print sum + 0 }')
if [ "$status" = 0 ] && { [ "$passed" != "$count" ] || [ "$count" = 0 ]; }; then
    echo "$passed tests passed, but $count are listed" >&2
    status=1
fi
[ "$status" != 0 ] || echo "all $count tests passed"
exit "$status"
