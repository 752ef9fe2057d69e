#!/usr/bin/env bash
# Checks on Linux, in seconds, for problems on a Mac, except in Swift: .ci/macos-swift.py checks it. docs/macos.md lists
# the problems that these checks cannot find.
#
#   .ci/install.sh macos && .ci/macos.sh
#
# Exit: 0, or 1 if something was found.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

found=0
fail() {
    echo "macos: $*" >&2
    found=1
}

# Zig ships the headers of macOS. .ci/macos-swift.py also uses them, for the Swift targets.
export ZIG_GLOBAL_CACHE_DIR=$PWD/.build/zig-cache
objects=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-macos.XXXXXX")
trap 'rm -rf "$objects"' EXIT
# Only the headers of libraries: those of Linux itself would replace those of macOS.
mkdir "$objects/include" "$objects/machine"
for library in nghttp2 openssl zip.h zipconf.h sqlite3.h; do
    ln -sf /usr/include/$library "$objects/include/"
    for header in /usr/include/*-linux-gnu*/$library; do ln -sf "$header" "$objects/machine/"; done
done
for target in aarch64-macos.15.0 x86_64-macos.15.0; do
    for file in Sources/C*/*.c; do
        .build/zig/ziglang/zig cc -target $target -Wall -Wextra -Werror "-I${file%/*}/include" -ISources/CZip/include \
            "-I$objects/include" "-I$objects/machine" -c "$file" -o "$objects/one.o" ||
            fail "$file does not compile for $target"
    done
done

# Without warnings about variables that a sourcing or sourced script sets or reads.
scripts=$(grep -rlE '^#!.*sh$|^# shellcheck shell=' .ci Tests witness config --include='*.sh' --include=run)
# shellcheck disable=SC2086  # one path per word is meant
shellcheck --severity=warning --exclude=SC2034,SC2154 $scripts || fail "shellcheck found problems"

# macOS has bash 3.2: no later features.
later='declare -[An]|local -[An]|mapfile|readarray|wait -n|\$\{[A-Za-z_]+(,,|\^\^)|\|&|coproc '
# shellcheck disable=SC2086
if grep -nE "^[^#]*($later)" $scripts | grep -v '^.ci/macos.sh:'; then fail "not available in bash 3.2"; fi

# macOS has BSD tools: no GNU options.
gnu="sed -i |readlink -f|date -d|stat -c|(^|[^p])grep -P|sort -V|head -n -|xargs -r|cp --|mktemp --"
# shellcheck disable=SC2086
if grep -nE "^[^#]*($gnu)" Makefile $scripts | grep -v '^.ci/macos.sh:'; then fail "not available in BSD tools"; fi

# macOS has the original awk; all steps of .ci/run use it.
make --no-print-directory help AWK=original-awk | grep -q '^make demo ' || fail "make help under the original awk"
original-awk -v json="$objects/table.json" -f Tests/Bench/table.awk Tests/Bench/goals.txt /dev/null >/dev/null ||
    fail "Tests/Bench/table.awk under the original awk"

# Actions that are not pinned, permissions that are too wide, credentials that stay: https://docs.zizmor.sh/audits.
.build/zizmor/bin/zizmor --offline --quiet --no-progress .github/workflows action.yml || fail "the workflows"

[ $found = 0 ] && echo "no problems for a Mac found"
exit $found
