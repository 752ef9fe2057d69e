#!/bin/sh
# Builds the fuzz targets beside this script and runs each for SECONDS (60 by default), as many at a time as cores.
#
#   Tests/Fuzz/run.sh [SECONDS] [NAME...]
#
# A target is one file, NAMEFuzz.swift, with what is in the folder NAME where there is one, built with the rooms that
# they import and those that these import, in Swift or C. Seeds are in Corpus/NAME. What a run builds, finds and says
# goes to .build/fuzz and nowhere else; a crash is kept there as crash-* and can be run again by giving the file to the
# program.
# The libFuzzer runtime is the Swift toolchain's own, on Linux too; no other package is needed.
# FUZZ_SEED=N tries the same inputs in the same order every time; without it each run tries others.
# Exit status: 0 nothing found, 1 a target crashed, 2 a target did not build.
set -eu

seconds=${1:-60}
[ $# -gt 0 ] && shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${FUZZ_OUT:-$root/.build/fuzz}
rooms=$out/rooms
cd "$root"
# Clang's own name of that runtime, on Linux and on macOS.
case $(uname -s) in Darwin) runtime='libclang_rt.fuzzer_osx.a' ;; *) runtime='libclang_rt.fuzzer*.a' ;; esac
toolchain=$(cd "$(dirname "$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')")" && pwd)
if [ -z "$(find -L "$toolchain" -name "$runtime" 2>/dev/null | head -n 1)" ]; then
    echo "this Swift toolchain brings no libFuzzer, as Xcode's does not; one of swift.org does" >&2
    exit 2
fi
clang=$toolchain/../bin/clang
flags="-swift-version 6 -package-name atsgate -sanitize=fuzzer,address -parse-as-library -wmo
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility -I $rooms"
for map in Sources/*/module.modulemap; do flags="$flags -I $(dirname "$map")"; done
mkdir -p "$rooms"

# A room written in C has its header in `include`. The package manager writes such a map of it, too.
for header in Sources/*/include/*.h; do
    name=$(basename "$header" .h)
    mkdir -p "$rooms/maps/$name"
    echo "module $name { umbrella header \"$root/$header\" export * }" >"$rooms/maps/$name/module.modulemap"
    flags="$flags -I $rooms/maps/$name"
done

# The rooms that the Swift files among $@ import.
imported() {
    [ $# -gt 0 ] || return 0
    sed -nE 's/^ *(@[a-zA-Z_()]+ +)*((public|package|internal|private|fileprivate) +)?import +([A-Za-z0-9_]+).*/\4/p' "$@" |
        sort -u | while read -r name; do
            if [ -n "$(find "Sources/$name" -name '*.swift' -o -name '*.c' 2>/dev/null)" ]; then echo "$name"; fi
        done
}

# The Swift files of target $1.
files() {
    echo "$here/$1Fuzz.swift"
    if [ -d "$here/$1" ]; then find "$here/$1" -name '*.swift' | sort; fi
}

# Puts room $1 behind those that it needs into `order`.
order=
visit() {
    case " $order " in *" $1 "*) return 0 ;; esac
    # shellcheck disable=SC2046
    for room in $(imported $(find "Sources/$1" -name '*.swift')); do visit "$room"; done
    order="$order $1"
}

# Compiles what follows into $1, with the options $2. What the linker warns of, the sanitizer's own symbols, is only
# shown on failure.
compile() {
    made=$1
    effort=$2
    shift 2
    # shellcheck disable=SC2086
    swiftc $flags $effort "$@" -o "$made" >"$made.log" 2>&1 || { cat "$made.log" >&2 && return 1; }
}

# What parses is optimised. The law, records, sessions and logs of devices are large and do less of the work: not optimised
# they cost a run a third of its inputs at most (Evidence and ProxyCore a tenth), and building half of its time.
effort() {
    case $1 in ATSPolicy | Evidence | ProxyCore | Records | Text) echo "-Onone -gline-tables-only" ;; *) echo "-O -g" ;; esac
}

build_room() {
    # shellcheck disable=SC2046
    compile "$rooms/$1.o" "$(effort "$1")" -c -emit-module -emit-module-path "$rooms/$1.swiftmodule" -module-name "$1" \
        $(find "Sources/$1" -name '*.swift' | sort)
}

# The same of a room written in C, with the clang that belongs to the Swift compiler.
build_c_room() {
    mkdir -p "$rooms/$1"
    for source in Sources/"$1"/*.c; do
        "$clang" -O -g -fsanitize=address,fuzzer-no-link -I "Sources/$1/include" -c "$source" \
            -o "$rooms/$1/$(basename "$source" .c).o" || return 1
    done
    "$clang" -r -nostdlib -o "$rooms/$1.o" "$rooms/$1"/*.o
}

# Builds target $1 from its file and the objects of `order`.
build() {
    mkdir -p "$out/$1/found" "$here/Corpus/$1"
    objects=
    for room in $order; do objects="$objects $rooms/$room.o"; done
    # The module of several files has to be put somewhere, or it is put here.
    # shellcheck disable=SC2046,SC2086
    compile "$out/$1/$1Fuzz" "-O -g" -emit-executable -emit-module -emit-module-path "$out/$1/$1Fuzz.swiftmodule" -module-name "$1Fuzz" $(files "$1") $objects
}

# Runs target $1. Leaks are not looked for: LeakSanitizer counts what the runtime keeps for good. Swift's own crash
# handler stays off, or a trap is reported as a fault inside that handler.
run() {
    if SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 \
        "$out/$1/$1Fuzz" -seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" -timeout=10 -max_len=4096 -print_final_stats=1 \
        -artifact_prefix="$out/$1/" "$out/$1/found" "$here/Corpus/$1" >"$out/$1/log" 2>&1; then
        summary "$1" >&2
    else
        echo "$1: found something, see $out/$1" >&2
        tail -n 80 "$out/$1/log" >&2
        return 1
    fi
}

# One line about a run that found nothing: its log has a line for every input worth keeping.
summary() {
    awk -v name="$1" '
        /^stat::number_of_executed_units/ { runs = $2 }
        /^stat::new_units_added/ { added = $2 }
        /^stat::peak_rss_mb/ { memory = $2 }
        / cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") covered = $(i + 1) }
        END { printf "%s: %d runs, %d edges, %d new inputs, %d MB, nothing found\n", name, runs, covered, added, memory }
    ' "$out/$1/log"
}

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(cd "$here" && ls ./*Fuzz.swift | sed 's|^\./||; s|Fuzz\.swift$||')
built=
for name in "$@"; do
    order=
    # shellcheck disable=SC2046
    for room in $(imported $(files "$name")); do visit "$room"; done
    for room in $order; do
        case " $built " in *" $room "*) continue ;; esac
        if [ -d "Sources/$room/include" ]; then language=c_; else language=; fi
        "build_${language}room" "$room" || { echo "$room: did not build" >&2 && exit 2; }
        built="$built $room"
    done
    build "$name" || { echo "$name: did not build" >&2 && exit 2; }
done
echo "$*: $seconds seconds each" >&2
status=0
running=
for name in "$@"; do
    run "$name" &
    running="$running $!"
    # As many as cores; the longest-running one is waited for, and all take the same time.
    # shellcheck disable=SC2086
    set -f && set -- $running && set +f
    if [ $# -ge "$(getconf _NPROCESSORS_ONLN)" ]; then
        wait "$1" || status=1
        shift
        running=$*
    fi
done
for process in $running; do wait "$process" || status=1; done
exit $status
