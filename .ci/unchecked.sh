#!/usr/bin/env bash
# Finds accesses in Sources that no compiler checks, and that need a reason or another form:
# - `@exclusivity(unchecked)`, `nonisolated(unsafe)`, `unowned(unsafe)` and `@unchecked Sendable` without a comment that
#   contains "Unchecked" or "Unsafe", on the line or in the 12 lines above it;
# - subscripts of an UnsafeRawBufferPointer or of the bytes of a queue, which release builds do not check, without such a
#   comment: ByteView checks them;
# - stores that are read without StoreRow: GRDB ends the process if a column has an unexpected type.
#
# Exit: 0, or 1 with each place.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

found=0
find Sources -name '*.swift' -exec awk '
    FNR == 1 { reason = -99; split("", raw) }
    /Unchecked|Unsafe|Safe without/ && /\/\// { reason = FNR }
    { code = $0; sub(/\/\/.*/, "", code) }
    code ~ /@exclusivity\(unchecked\)|(nonisolated|unowned)\(unsafe\)|@unchecked Sendable/ && FNR - reason > 12 {
        print FILENAME ":" FNR ": needs a comment with the reason: " $0
        found = 1
    }
    code ~ /(func|init|subscript)[ (<]/ { split("", raw) }
    match(code, /[A-Za-z_]+: (inout )?UnsafeRawBufferPointer/) { raw[substr(code, RSTART, index(substr(code, RSTART), ":") - 1)] }
    {
        reads = code ~ /\.bytes\[[^.]/
        for (name in raw) if (code ~ "(^|[^A-Za-z_.])" name "\\[[^.]") reads = 1
        if (reads && FNR - reason > 12) { print FILENAME ":" FNR ": use ByteView: " $0; found = 1 }
    }
    code ~ /(^|[^A-Za-z])(fetch(One|All|Set|Cursor|Count)|RowCursor)([^A-Za-z]|$)/ {
        print FILENAME ":" FNR ": use StoreRow: " $0
        found = 1
    }
    END { exit found }' {} + >&2 || found=1
[ $found = 0 ] && echo "each access that no compiler checks has its reason"
exit $found
