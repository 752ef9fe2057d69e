#!/usr/bin/env bash
# Checks how a released program for Linux is linked: it needs only the system libraries listed below, never one from its
# own folder, is position-independent, and its function table is read-only at run time (full RELRO).
#
#   .ci/linkage.sh PROGRAM
#
# Exit: 0, or 1 with the differences.
set -euo pipefail
exec </dev/null

program=$1
# docs/install.md and docker/Dockerfile name the packages of these libraries and of libzip, which the program loads
# itself as libzip.so.5 or libzip.so.4.
expected="libcrypto libgcc_s libnghttp2 libqrencode libsqlite3 libssl libstdc++ libxml2"
# Parts of the C library; which of them are separate files depends on the system.
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
    grep -qF "$name.so" <<<"$needed" || fail "does not need $name: remove it from the list"
done

if grep -E '\((RPATH|RUNPATH)\)' <<<"$dynamic" >&2; then fail "has its own search path for libraries"; fi
grep -q '(FLAGS_1).*PIE' <<<"$dynamic" || fail "is not a position-independent executable"
grep -q '(FLAGS_1).*NOW' <<<"$dynamic" || fail "binds functions late: no full RELRO"
segments=$(LC_ALL=C readelf --segments --wide "$program")
grep -q 'GNU_RELRO' <<<"$segments" || fail "has no RELRO segment"
if grep 'GNU_STACK' <<<"$segments" | grep -q 'E  *0x[0-9a-f]*$'; then fail "has an executable stack"; fi

# 80 MB: the size in 2026 with some reserve, of which ICU's data are 34. A much larger file contains debug information.
limit_bytes=80000000
bytes=$(wc -c <"$program")
[ "$bytes" -le $limit_bytes ] || fail "has $bytes bytes, more than $limit_bytes"

# The planted files are not valid libraries: a program that loads one fails.
folder=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-linkage.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cp "$program" "$folder/atsgate"
for library in $needed libzip.so.5 libzip.so.4 libpq.so.5; do echo planted >"$folder/$library"; done
said=$(cd "$folder" && ./atsgate --version --verbose) || fail "does not run next to planted libraries"
if grep -q missing <<<"$said"; then fail "finds no libzip: $said"; fi

if [ $found = 0 ]; then echo "$program is linked as required"; fi
exit $found
