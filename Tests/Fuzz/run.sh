#!/bin/sh
# Builds every fuzz target beside this script and runs each for SECONDS (60 by default).
#
#   Tests/Fuzz/run.sh [SECONDS] [NAME...]
#
# A target is one file, NAMEFuzz.swift. Its first line names the rooms it needs, lowest first, as in
# "// Rooms: Bytes HTTPWire". A second line "// Flags: ..." adds flags of the compiler, paths from the top of the tree.
# Seeds are in Corpus/NAME. What a run finds and builds goes to .build/fuzz and nowhere else; a crash is kept there as
# crash-* and can be run again by giving the file to the program. The libFuzzer runtime is the Swift toolchain's own,
# on Linux too; no other package is needed.
# Exit status: 0 nothing found, 1 a target crashed, 2 a target did not build.
set -eu

seconds=${1:-60}
[ $# -gt 0 ] && shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${FUZZ_OUT:-$root/.build/fuzz}
flags="-swift-version 6 -O -g -sanitize=fuzzer,address -parse-as-library -wmo
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility"
status=0
cd "$root"

# Builds one target into $1; $2 is its name.
build() {
    objects=
    extra=$(sed -n '2s|^// Flags: *||p' "$here/$2Fuzz.swift")
    for room in $(sed -n '1s|^// Rooms: *||p' "$here/$2Fuzz.swift"); do
        # shellcheck disable=SC2046,SC2086
        swiftc $flags $extra -c -emit-module -emit-module-path "$1/$room.swiftmodule" -module-name "$room" -I "$1" \
            -o "$1/$room.o" $(find "$root/Sources/$room" -name '*.swift' | sort) || return 1
        objects="$objects $1/$room.o"
    done
    # shellcheck disable=SC2086
    swiftc $flags $extra -module-name "$2Fuzz" -I "$1" -o "$1/$2Fuzz" "$here/$2Fuzz.swift" $objects
}

[ $# -gt 0 ] || set -- $(cd "$here" && ls ./*Fuzz.swift | sed 's|^\./||; s|Fuzz\.swift$||')
for name in "$@"; do
    work=$out/$name
    mkdir -p "$work/found" "$here/Corpus/$name"
    if ! build "$work" "$name"; then
        echo "$name: did not build" >&2
        exit 2
    fi
    echo "$name: $seconds seconds" >&2
    # Leaks are not looked for: LeakSanitizer counts what the runtime keeps for good. Swift's own crash handler stays
    # off, or a trap is reported as a fault inside that handler.
    SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 \
        "$work/${name}Fuzz" -max_total_time="$seconds" -timeout=10 -max_len=4096 \
        -print_final_stats=1 -artifact_prefix="$work/" "$work/found" "$here/Corpus/$name" || status=1
done
exit $status
