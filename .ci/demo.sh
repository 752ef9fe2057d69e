#!/usr/bin/env bash
# Builds the command and runs its demo: real loads through a real gate to servers that each break one rule, then the
# report. On a terminal, gate, page and servers keep running until Control-C.
#
# Exit: that of `atsgate demo`: 0 if every load ended as the lab expects.
set -euo pipefail
cd "$(dirname "$0")/.."
# Whole-module compilation without an index and debug information takes seven tenths of the time of the usual debug
# build. A separate folder leaves that build untouched.
build=(swift build --product atsgate --scratch-path .build/demo --disable-index-store
    -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -gnone)
"${build[@]}"
exec "$("${build[@]}" --show-bin-path)/atsgate" demo
