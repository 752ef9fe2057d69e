#!/usr/bin/env bash
# Runs the same calls of Foundation with the table of .ci/icu.py and with the toolchain's own, and compares the results:
# all in English and in the C locale, and in other languages those that must not depend on the language.
#
#   Tests/Foundation/compare.sh
#
# Exit: 0, or 1 with the results that differ.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/../.."

work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-foundation.XXXXXX")
trap 'rm -rf "$work"' EXIT

# build NAME: builds the program as $work/NAME.
build() {
    swift build -c release --product behaviours --disable-local-rpath >"$work/build.txt" 2>&1 ||
        { cat "$work/build.txt" >&2 && exit 1; }
    cp "$(swift build -c release --show-bin-path)/behaviours" "$work/$1"
}
table=$(.ci/icu.py .build/icu)
HANDED_OUT=$table build part
.ci/icu.py --in "$work/part"
# Linked the usual way, it needs the toolchain's libraries, which it only finds through an rpath.
build whole
toolchain=$(dirname "$(dirname "$(command -v swiftc)")")
libraries=$toolchain/lib/swift/linux

failed=0
# compare LANGUAGE [--anywhere]
compare() {
    local language=$1 program
    shift
    for program in whole part; do
        TZ=Europe/Berlin LANG=$language LC_ALL='' LD_LIBRARY_PATH=$libraries "$work/$program" "$@" \
            >"$work/$program.txt" 2>&1 || { cat "$work/$program.txt" >&2 && failed=1; }
    done
    if ! diff "$work/whole.txt" "$work/part.txt"; then
        echo "with LANG=$language, Foundation answers otherwise with the table of .ci/icu.py (>)" >&2
        failed=1
    fi
}
compare C
compare en_US.UTF-8
answers=$(wc -l <"$work/part.txt")
for language in de_DE.UTF-8 ja_JP.UTF-8 tr_TR.UTF-8 ar_EG.UTF-8 th_TH.UTF-8; do compare $language --anywhere; done

[ $failed = 0 ] && echo "Foundation gives the same $answers lines of results with a tenth of ICU's data"
exit $failed
