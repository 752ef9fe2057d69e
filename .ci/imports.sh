#!/usr/bin/env bash
# Holds every room to its arrows: a target may import only what Package.swift names for it.
#
# The package manager's own --explicit-target-dependency-import-check (Swift 6.3) is silent about what is reachable
# through another dependency, which is just the arrow that must not be.
# The same for the one other arrow that no compiler holds: values of a store's file come in by StoreRow alone.
# Exit: 0, or 1 when some import is not declared, or a store is read otherwise; each is told with its file.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

# `path TARGET DIR` for every target, `may TARGET MODULE` for every declared dependency.
# It changes nothing, so a build may go on meanwhile.
facts=$(swift package --ignore-lock describe --type text | awk '
    /^Targets:/ { inTargets = 1 }
    !inTargets { next }
    /^    Name: / { target = $2; list = 0; print "may", target, target }
    /^    Path: / { print "path", target, $2; list = 0 }
    /^    [A-Za-z]/ { list = /dependencies:$/ }
    /^        [^ ]/ && list { print "may", target, $1 }
')
modules=" $(awk '$1 == "may" { print $3 }' <<<"$facts" | sort -u | tr '\n' ' ') "

wrong=0
while read -r _ target path; do
    declared=" $(awk -v target="$target" '$1 == "may" && $2 == target { print $3 }' <<<"$facts" | tr '\n' ' ') "
    while IFS=: read -r file import; do
        module=$(sed -E 's/^ *(@[a-z_()A-Za-z]+ +)*((public|package|internal|fileprivate|private) +)?import +((struct|class|enum|protocol|func|var|let|typealias) +)?([A-Za-z0-9_]+).*/\6/' <<<"$import")
        # Modules of the system and the toolchain are nobody's arrow.
        case $modules in *" $module "*) ;; *) continue ;; esac
        case $declared in *" $module "*) continue ;; esac
        echo "$file: $target imports $module, which Package.swift does not name for it" >&2
        wrong=1
    done < <(grep -rE --include='*.swift' '^ *(@[a-z_()A-Za-z]+ +)*((public|package|internal|fileprivate|private) +)?import ' "$path" || true)
done < <(grep '^path ' <<<"$facts")

# GRDB's rows end the process where a column is of another type than asked for, which any file may have: stores are read
# by StoreRow, which throws.
if grep -rnE --include='*.swift' '\b(fetch(One|All|Set|Cursor|Count)|RowCursor)\b' Sources >&2; then
    echo "a store is read past StoreRow" >&2
    wrong=1
fi
[ $wrong -eq 0 ] && echo "every import is declared, and stores are read by StoreRow alone"
exit $wrong
