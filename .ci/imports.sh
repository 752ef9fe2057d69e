#!/usr/bin/env bash
# Checks the imports of every target: only those that Package.swift names are allowed.
#
# The package manager's own --explicit-target-dependency-import-check (Swift 6.3) accepts targets that are reachable
# through another dependency, and these are the ones to forbid.
# Also checks a rule that no compiler enforces: only StoreRow reads values from a store's file.
# Exit: 0, or 1 with the file of each undeclared import and of each other access to a store.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

# `path TARGET DIR` for every target, `may TARGET MODULE` for every declared dependency.
# Changes nothing, so a build may run at the same time.
facts=$(swift package --ignore-lock describe --type text | awk '
    /^Targets:/ { inTargets = 1 }
    !inTargets { next }
    /^    Name: / { target = $2; list = 0; print "may", target, target }
    /^    Path: / { print "path", target, $2; list = 0 }
    /^    [A-Za-z]/ { list = /dependencies:$/ }
    /^        [^ ]/ && list { print "may", target, $1 }
')
# `FILE MODULE` for every import, then compared with the target that contains the file.
imports=$(awk '$1 == "path" { print $3 }' <<<"$facts" | xargs grep -rE --include='*.swift' \
    '^ *(@[a-z_()A-Za-z]+ +)*((public|package|internal|fileprivate|private) +)?import ' |
    sed -E 's/^([^:]*): *(@[a-z_()A-Za-z]+ +)*((public|package|internal|fileprivate|private) +)?import +((struct|class|enum|protocol|func|var|let|typealias) +)?([A-Za-z0-9_]+).*/\1 \7/')
wrong=0
# Modules of the system and the toolchain are always allowed.
awk '
    $1 == "path" { targets[$3] = $2; next }
    $1 == "may" { declared[$2, $3]; modules[$3]; next }
    {
        folder = $1
        while (!(folder in targets) && sub("/[^/]*$", "", folder)) {}
        target = targets[folder]
        if (!($2 in modules) || (target, $2) in declared) next
        print $1 ": " target " imports " $2 ", which Package.swift does not declare for it"
        wrong = 1
    }
    END { exit wrong }
' <(cat <<<"$facts") <(cat <<<"$imports") >&2 || wrong=1

# GRDB's rows end the process if a column has an unexpected type, which a manipulated file may have. So stores are read
# by StoreRow, which throws instead.
if grep -rnE --include='*.swift' '\b(fetch(One|All|Set|Cursor|Count)|RowCursor)\b' Sources >&2; then
    echo "a store is read without StoreRow" >&2
    wrong=1
fi
[ $wrong -eq 0 ] && echo "every import is declared, and stores are read by StoreRow only"
exit $wrong
