#!/usr/bin/env bash
# Builds the command and runs its demo: real loads through a real gate to origins that each break one rule, and the
# report. On a terminal gate, page and origins stay until Control-C.
#
# Exit: that of `atsgate demo`: 0 when every load ended as the lab expects.
set -euo pipefail
cd "$(dirname "$0")/.."
# Modules compiled as a whole, without an index and without a debugger's information, take seven tenths of the time of
# the usual debug build, which is left alone.
build=(swift build --product atsgate --scratch-path .build/demo --disable-index-store
    -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -gnone)
"${build[@]}"
exec "$("${build[@]}" --show-bin-path)/atsgate" demo
