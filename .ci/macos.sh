#!/usr/bin/env bash
# What a Mac would stumble over, as far as it shows without one: from Linux, in seconds. docs/macos.md tells what
# remains unknown.
#
#   .ci/install.sh macos && .ci/macos.sh
#
# Exit: 0, or 1 when something was found.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

found=0
fail() {
    echo "macos: $*" >&2
    found=1
}

# Zig brings the headers of macOS along; Swift can not be checked like this, since its own come with Xcode only.
export ZIG_GLOBAL_CACHE_DIR=$PWD/.build/zig-cache
objects=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-macos.XXXXXX")
trap 'rm -rf "$objects"' EXIT
for target in aarch64-macos.15.0 x86_64-macos.15.0; do
    for file in Sources/CPoll/*.c; do
        .build/zig/ziglang/zig cc -target $target -Wall -Wextra -Werror -ISources/CPoll/include \
            -c "$file" -o "$objects/one.o" || fail "$file does not compile for $target"
    done
done

# Without what it says of variables that another script, which sources this one or is sourced, sets or reads.
scripts=$(grep -rlE '^#!.*sh$|^# shellcheck shell=' .ci Tests witness --include='*.sh' --include=run)
# shellcheck disable=SC2086  # one path per word is meant
shellcheck --severity=warning --exclude=SC2034,SC2154 $scripts || fail "shellcheck has something to say"

# bash 3.2 is what macOS has: none of what came later.
later='declare -[An]|local -[An]|mapfile|readarray|wait -n|\$\{[A-Za-z_]+(,,|\^\^)|\|&|coproc '
# shellcheck disable=SC2086
if grep -nE "^[^#]*($later)" $scripts | grep -v '^.ci/macos.sh:'; then fail "bash 3.2 does not know these"; fi

# Its tools are those of BSD: these options are GNU's.
gnu="sed -i |readlink -f|date -d|stat -c|(^|[^p])grep -P|sort -V|head -n -|xargs -r|cp --|mktemp --"
# shellcheck disable=SC2086
if grep -nE "^[^#]*($gnu)" Makefile $scripts | grep -v '^.ci/macos.sh:'; then fail "BSD's tools do not know these"; fi

# awk there is the original one; .ci/run has it in all its steps.
make --no-print-directory help AWK=original-awk | grep -q '^make demo ' || fail "make help under the original awk"
original-awk -v json="$objects/table.json" -f Tests/Bench/table.awk Tests/Bench/goals.txt /dev/null >/dev/null ||
    fail "Tests/Bench/table.awk under the original awk"

python=/usr/bin/python3
[ -x $python ] || python=python3
for file in .github/workflows/*.yml; do
    $python .ci/workflow.py "$file" || fail "$file"
done

[ $found = 0 ] && echo "nothing found that a Mac would stumble over"
exit $found
