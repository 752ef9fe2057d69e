#!/usr/bin/env bash
# Holds a program for Linux against how what is handed out is to be linked: it needs libraries of the system and none
# besides those below, never one that lies beside it, can be loaded anywhere, and has no table of functions that can be
# written to once it runs (full RELRO).
#
#   .ci/linkage.sh PROGRAM
#
# Exit: 0, or 1 with what is otherwise.
set -euo pipefail
exec </dev/null

program=$1
# docs/install.md and docker/Dockerfile name the packages that have them, and libzip's, which the program loads itself: it
# is called libzip.so.5 or libzip.so.4.
expected="libcrypto libgcc_s libnghttp2 libqrencode libsqlite3 libssl libstdc++ libxml2"
# Of the C library; which of them are separate files is its own affair.
runtime="ld-linux libc libdl libm libpthread libresolv librt"

found=0
fail() {
    echo "$program $*" >&2
    found=1
}

dynamic=$(LC_ALL=C readelf --dynamic --wide "$program")
needed=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' <<<"$dynamic")
for library in $needed; do
    name=${library%%.so*}
    case $name in ld-linux*) name=ld-linux ;; esac
    case " $expected $runtime " in
        *" $name "*) ;;
        *) fail "needs $library" ;;
    esac
done
for name in $expected; do
    grep -qF "$name.so" <<<"$needed" || fail "does not need $name: take it off the list"
done

if grep -E '\((RPATH|RUNPATH)\)' <<<"$dynamic" >&2; then fail "looks for libraries where it was told"; fi
grep -q '(FLAGS_1).*PIE' <<<"$dynamic" || fail "is no position-independent executable"
grep -q '(FLAGS_1).*NOW' <<<"$dynamic" || fail "binds functions late: no full RELRO"
segments=$(LC_ALL=C readelf --segments --wide "$program")
grep -q 'GNU_RELRO' <<<"$segments" || fail "has no RELRO segment"
if grep 'GNU_STACK' <<<"$segments" | grep -q 'E  *0x[0-9a-f]*$'; then fail "has a stack that code can run from"; fi

# 45 MB: what it had in 2026, and a little room. Far more is ICU's whole data, or debugging information.
limit_bytes=45000000
bytes=$(wc -c <"$program")
[ "$bytes" -le $limit_bytes ] || fail "has $bytes bytes, more than $limit_bytes"

# What was planted beside it is no library at all: whoever loads it dies.
folder=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-linkage.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cp "$program" "$folder/atsgate"
for library in $needed libzip.so.5 libzip.so.4 libpq.so.5; do echo planted >"$folder/$library"; done
said=$(cd "$folder" && ./atsgate --version --verbose) || fail "does not run beside planted libraries"
if grep -q missing <<<"$said"; then fail "finds no libzip: $said"; fi

if [ $found = 0 ]; then echo "$program is linked as it is to be"; fi
exit $found
