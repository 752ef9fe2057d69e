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
# `FILE MODULE` for every import, then held against the target whose path the file is in.
imports=$(awk '$1 == "path" { print $3 }' <<<"$facts" | xargs grep -rE --include='*.swift' \
    '^ *(@[a-z_()A-Za-z]+ +)*((public|package|internal|fileprivate|private) +)?import ' |
    sed -E 's/^([^:]*): *(@[a-z_()A-Za-z]+ +)*((public|package|internal|fileprivate|private) +)?import +((struct|class|enum|protocol|func|var|let|typealias) +)?([A-Za-z0-9_]+).*/\1 \7/')
wrong=0
# Modules of the system and the toolchain are nobody's arrow.
awk '
    $1 == "path" { targets[$3] = $2; next }
    $1 == "may" { declared[$2, $3]; modules[$3]; next }
    {
        folder = $1
        while (!(folder in targets) && sub("/[^/]*$", "", folder)) {}
        target = targets[folder]
        if (!($2 in modules) || (target, $2) in declared) next
        print $1 ": " target " imports " $2 ", which Package.swift does not name for it"
        wrong = 1
    }
    END { exit wrong }
' <(cat <<<"$facts") <(cat <<<"$imports") >&2 || wrong=1

# GRDB's rows end the process where a column is of another type than asked for, which any file may have: stores are read
# by StoreRow, which throws.
if grep -rnE --include='*.swift' '\b(fetch(One|All|Set|Cursor|Count)|RowCursor)\b' Sources >&2; then
    echo "a store is read past StoreRow" >&2
    wrong=1
fi
[ $wrong -eq 0 ] && echo "every import is declared, and stores are read by StoreRow alone"
exit $wrong
