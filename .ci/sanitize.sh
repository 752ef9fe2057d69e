#!/usr/bin/env bash
# Runs the tests of the targets that call into C under the address sanitizer, then fuzzes their parsers.
#
#   .ci/sanitize.sh [SECONDS]    the time for fuzzing each target, 60 by default
#
# Builds in .build/asan and .build/fuzz. Leaks are only detected on Linux. For complete stacks that end in libcrypto,
# set ASAN_OPTIONS=fast_unwind_on_malloc=0, which takes several times as long.
# Exit: 0, or that of the first failed step.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

seconds=${1:-60}
# Package.swift reads it and builds only these.
export ONLY_TESTS=TLSEngine,HTTP2Engine,Reporting,NetLoop,Declarations,Postgres
export LSAN_OPTIONS="suppressions=$PWD/.ci/lsan.supp:print_suppressions=0:${LSAN_OPTIONS-}"
options=(--sanitize=address --scratch-path .build/asan)

swift build "${options[@]}" --build-tests
# Swift's own crash handler would report a fault inside the sanitizer's.
SWIFT_BACKTRACE=enable=no swift test --no-parallel --skip-build "${options[@]}"

# Records decodes what Reporting reads from a store; the rest is SQL in GRDB, which is a package and not built here, and
# Reporting's tests damage stores. Text parses the addresses that NetLoop reads, and HTTPWire's target covers it.
Tests/Fuzz/run.sh "$seconds" TLSEngine HTTP2Engine Declarations Records HTTPWire
