#!/usr/bin/env bash
# All tests but those of `make abuse`, by three runners side by side: one has those of the command, one those that start
# PostgreSQL or many gates, and both wait for what they started most of the time; the third one has the rest. Each runs one
# test after the other: their deadlines are then about themselves, also on two cores. What the first two say is shown when
# the third has ended.
#
# Exit: 0 when all tests passed that `swift test list` names, otherwise that of the last runner that failed, or 1.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

command='^CommandTests\.'
servers='^(Chaos|Endurance|Fleet|Postgres|Store)Tests\.'
not_here='^AbuseTests\.'

# As in the Makefile, where the rest is told.
options=(-c release --disable-testable-imports)
swift build -c release --build-tests
list=$(swift test list "${options[@]}" --skip-build)
count=$(grep -E '^[A-Za-z0-9]+Tests\.' <<<"$list" | grep -cvE "$not_here") || true

# Nothing is built meanwhile, so neither waits for the other one.
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

# What a reader of a long log looks for, of all. A runner that lost its output, or ended early with 0, has not passed.
grep -haE 'Test run with [0-9]+ tests' "$log"/* || true
passed=$(sed -nE 's/.*Test run with ([0-9]+) tests? in .* passed .*/\1/p' "$log"/* |
    awk '{ sum += $1 } END { print sum + 0 }')
if [ "$status" = 0 ] && { [ "$passed" != "$count" ] || [ "$count" = 0 ]; }; then
    echo "$passed tests passed, of $count that are listed" >&2
    status=1
fi
[ "$status" != 0 ] || echo "all $count tests passed"
exit "$status"
