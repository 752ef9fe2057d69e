#!/usr/bin/env bash
# Finds accesses in Sources that no compiler checks, and that need a reason or another form:
# - `@exclusivity(unchecked)`, `nonisolated(unsafe)`, `unowned(unsafe)` and `@unchecked Sendable` without a comment that
#   contains "Unchecked" or "Unsafe", in the lines up to it without an empty line between;
# - subscripts of an UnsafeRawBufferPointer or of the bytes of a queue, which release builds do not check, without such a
#   comment: ByteView checks them. `[...]` takes all bytes;
# - sleeps without a comment on the line or directly above;
# - stores that are read without StoreRow: GRDB ends the process if a column has an unexpected type.
#
#   .ci/unchecked.sh [TOP]    TOP is the tree to check, by default the one that contains this script
#
# Exit: 0, or 1 with each place.
set -euo pipefail
exec </dev/null
cd "${1:-$(dirname "$0")/..}"

found=0
find Sources -name '*.swift' -exec awk '
    function report(words) { print FILENAME ":" FNR ": " words ": " $0; found = 1 }
    FNR == 1 { reason = isRemark = 0; split("", locals); split("", members) }
    /^[ \t]*$/ { reason = 0 }
    /\/\/.*(Unchecked|Unsafe|Safe without)/ { reason = 1 }
    { code = $0; sub(/\/\/.*/, "", code) }
    code ~ /@exclusivity\(unchecked\)|(nonisolated|unowned)\(unsafe\)|@unchecked Sendable/ && !reason {
        report("no comment gives the reason")
    }
    # Names of raw buffers: of a function, or of a type.
    code ~ /^}/ { split("", members) }
    code ~ /(^|[^A-Za-z.])(func|init|subscript)[ (<]/ || code ~ /^}/ { split("", locals) }
    match(code, /[A-Za-z_]+: (inout )?UnsafeRawBufferPointer/) {
        name = substr(code, RSTART, index(substr(code, RSTART), ":") - 1)
        if (code ~ /^    [a-z() ]*(let|var) /) members[name]
        else locals[name]
    }
    match(code, /(let|var) [A-Za-z_]+ = (UnsafeRawBufferPointer|[A-Za-z_.]+\.bytes$)/) {
        name = substr(code, RSTART + 4)
        sub(/ .*/, "", name)
        locals[name]
    }
    {
        reads = code ~ /\.bytes\[([^.]|\.\.[^.])/
        for (name in locals) if (code ~ "(^|[^A-Za-z_.])" name "\\[([^.]|\\.\\.[^.])") reads = 1
        for (name in members) if (code ~ "(^|[^A-Za-z_.]|self\\.)" name "\\[([^.]|\\.\\.[^.])") reads = 1
        if (reads && !reason) report("use ByteView")
    }
    code ~ /(^|[^A-Za-z])(u|nano|pg_)?sleep\(|(Thread|Task)\.sleep/ && code == $0 && !isRemark {
        report("no comment gives the reason for the sleep")
    }
    code ~ /(^|[^A-Za-z])(fetch(One|All|Set|Cursor|Count)|RowCursor)([^A-Za-z]|$)/ { report("use StoreRow") }
    { isRemark = $0 ~ /^[ \t]*\/\// }
    END { exit found }' {} + >&2 || found=1
[ $found = 0 ] && echo "each access that no compiler checks has its reason"
exit $found
