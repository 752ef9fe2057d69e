#!/usr/bin/env bash
# Builds the command and runs its demo: real loads through a real gate to origins that each break one rule, and the
# report. On a terminal gate, page and origins stay until Control-C.
#
# Exit: that of `atsgate demo`: 0 when every load ended as the lab expects.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build --product atsgate
exec "$(swift build --show-bin-path)/atsgate" demo
