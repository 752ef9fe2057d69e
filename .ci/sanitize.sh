#!/usr/bin/env bash
# The rooms that call into C, under the address sanitizer: all of their tests, then fuzzing of what reads bytes in them.
#
#   .ci/sanitize.sh [SECONDS]    each target is fuzzed for so long; 60 by default
#
# What it builds is in .build/asan and .build/fuzz. Leaks are looked for on Linux, where the sanitizer can; a stack that
# ends in libcrypto is whole with ASAN_OPTIONS=fast_unwind_on_malloc=0, which takes a multiple of the time.
# Exit: 0, or that of the first step that failed.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

seconds=${1:-60}
# Package.swift reads it: only these are built.
export ONLY_TESTS=TLSEngine,HTTP2Engine,Reporting,NetLoop,Declarations,Postgres
export LSAN_OPTIONS="suppressions=$PWD/.ci/lsan.supp:print_suppressions=0:${LSAN_OPTIONS-}"
options=(--sanitize=address --scratch-path .build/asan)

swift build "${options[@]}" --build-tests
# Swift's own crash handler would tell of a fault inside the sanitizer's.
SWIFT_BACKTRACE=enable=no swift test --no-parallel --skip-build "${options[@]}"

# What Reporting reads of a store is decoded by Records; the rest is SQL by GRDB, a package that is not built here, and
# Reporting's tests damage it. What NetLoop reads as text, addresses, is parsed by Text, which HTTPWire's target reaches.
Tests/Fuzz/run.sh "$seconds" TLSEngine HTTP2Engine Declarations Records HTTPWire
