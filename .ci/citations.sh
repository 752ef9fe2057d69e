#!/usr/bin/env bash
# Checks references that need no program: links of documents and topics cited in code (lychee), paths and tests named in
# documents, and a topic for each rule and contradiction.
#
#   .ci/install.sh checks && .ci/citations.sh
#
# Exit: 0, or 1 with each missing target.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-citations.XXXXXX")
trap 'rm -rf "$work"' EXIT
found=0
fail() {
    echo "citations: $*" >&2
    found=1
}
# same WORDS FILE OTHER: lists what only one of the files has.
same() {
    local lines
    lines=$(LC_ALL=C comm -3 <(LC_ALL=C sort -u "$2") <(LC_ALL=C sort -u "$3"))
    [ -z "$lines" ] || fail "$1: $lines"
}

# resources.c names the files to embed, which the compiler finds.
git grep -IhoE '\bdocs/[A-Za-z0-9_./-]+\.(md|json)(#[A-Za-z0-9_-]+)?' -- . ':!Sources/CResources' | sort -u |
    sed "s|.*|- [&](file://$PWD/&)|" >"$work/cited.md"
git ls-files -z '*.md' | xargs -0 .build/lychee/bin/lychee --offline --include-fragments --no-progress --quiet "$work/cited.md" ||
    fail "links or cited topics without a target"

# docs/sources.md names files of other projects; NAME and TARGET are placeholders.
git grep -hoE '`(Sources|Tests|config|docker|site|\.ci)/[A-Za-z0-9_./+-]+`' -- '*.md' ':!docs/sources.md' | tr -d '`' |
    grep -vE 'NAME|TARGET' | sort -u >"$work/paths"
while read -r path; do [ -e "$path" ] || fail "documents name $path, which does not exist"; done <"$work/paths"

grep -oE '`[A-Za-z0-9]+Tests/[A-Za-z0-9]+\.[A-Za-z0-9]+`' docs/threat-model.md | tr -d '`' | sort -u >"$work/tests"
while IFS=/. read -r target suite test; do
    grep -rlE --null "\b(struct|class|extension) $suite\b" "Tests/$target" | xargs -0 grep -qE "\bfunc $test\(" ||
        fail "docs/threat-model.md names $target/$suite.$test, which does not exist"
done <"$work/tests"

git grep -hoE '(RuleID\(|case [A-Za-z]+ = )"(ats|trust|tls|net|app|http|client|gate)\.[a-z-]+"' -- Sources/ATSPolicy |
    cut -d '"' -f 2 >"$work/rules"
sed -n 's/^### \([^ ]*\)$/\1/p' docs/verdicts.md >"$work/explained"
same "rules and docs/verdicts.md differ" "$work/rules" "$work/explained"
git grep -hoE '"lint\.[a-z-]+"' -- Sources/Diagnosis/Lint/Rules | tr -d '"' >"$work/linted"
sed -n 's/^| `\(lint\.[a-z-]*\)` |.*/\1/p' docs/lint.md >"$work/listed"
same "rules of lint and docs/lint.md differ" "$work/linted" "$work/listed"
git grep -hoE '\bC[0-9]{1,2}\b' -- Sources/ATSPolicy Tests/ATSPolicyTests/JudgeSwitchTests.swift >"$work/contradictions"
sed -n 's/^## \(C[0-9]*\)$/\1/p' docs/contradictions.md >"$work/described"
same "contradictions in code and docs/contradictions.md differ" "$work/contradictions" "$work/described"
exit $found
