#!/usr/bin/env bash
# Records how a Mac or a simulator treats the lab's servers under each sample dictionary, as evidence.
#
#   witness/witness.sh [--simulator UDID|booted] [--trust] [--only CASE] [--out FOLDER]
#   witness/witness.sh --check
#
# Each case is a dictionary: the program Witness is built once, and copied into a bundle whose Info.plist contains it.
# It loads every server of `atsgate lab --all` through a gate in witness mode, which decrypts no TLS, and some local
# names directly. --trust first makes the lab's root trusted (asks for the administrator's password on a Mac), and
# removes it at the end. Without it, even a server with a good certificate is rejected. --check on any system, without a
# bundle: checks that the program compiles, that `atsgate evidence read` reads its output, and that the gate saw what
# the program reports. Does not test ATS. FOLDER, by default .build/witness, gets for each case: CASE.nscurl.txt
# (results), CASE.console.txt (the system's lines), CASE.ndjson (the unified log), CASE.evidence.jsonl (the result of
# reading them), and witness.sqlite (the gate's recordings). Cases in addition to the samples: lab-exception, niap.
# Their purpose: docs/device-evidence.md#experiments. Exit: 0; 1 if a case could not be run, or --check fails; 2 if the
# preparation fails; 69 if this is not a Mac.
cd "$(dirname "$0")/.." || exit 2
deadline_seconds=900
. Tests/Peers/preamble.sh witness

simulator="" trust="" only="" out=.build/witness check=""
while [ $# -gt 0 ]; do
    case $1 in
    --simulator) simulator=$2 && shift ;;
    --only) only=$2 && shift ;;
    --out) out=$2 && shift ;;
    --trust) trust=1 ;;
    --check) check=1 ;;
    *) echo "witness: unknown option $1" >&2 && exit 64 ;;
    esac
    shift
done
system=$(uname -s)
if [ "$system" != Darwin ] && [ -z "$check" ]; then
    echo "witness: this needs a Mac; --check only tests the program" >&2
    exit 69
fi

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && exit 2; }
fi
gate_program=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
mkdir -p "$out"

# Swift 5 mode: the program is a script, and its output is a global variable in C.
build=(swiftc -swift-version 5 -warnings-as-errors -o "$work/Witness")
if [ -n "$simulator" ]; then
    version=$(xcrun --sdk iphonesimulator --show-sdk-version)
    build+=(-sdk "$(xcrun --sdk iphonesimulator --show-sdk-path)" -target "$(uname -m)-apple-ios$version-simulator")
fi
"${build[@]}" witness/Witness.swift

"$gate_program" lab --all --write-config "$work/lab.conf" >"$work/lab.txt" 2>"$work/lab.log" &
running+=("$!")
wait_for "$work/lab.conf" "$!"

# Without the silent server, which would cost each case a quarter of a minute.
tail -n +2 "$work/lab.txt" | awk '$1 ~ /^https?:/ && $1 !~ /\/\/stalls\./ { print $1 }' >"$work/targets"
cleartext=$(awk -F: '/^connect-to = cleartext\.lab\.test:/ { print $NF }' "$work/lab.conf")
for host in localhost name.localhost 127.0.0.1; do echo "direct http://$host:$cleartext/"; done >>"$work/targets"

# gate NAME DICTIONARY MODE: starts a gate for one case; its address is in $proxy.
gate() {
    rm -f "$work/port"
    "$gate_program" proxy --config "$work/lab.conf" --policy "$2" --mode "$3" --listen 127.0.0.1:0 \
        --port-file "$work/port" --ca-dir "$work/ca" --store "$out/witness.sqlite" --recording "$1" --web off \
        2>"$work/gate.log" &
    gate=$!
    running+=("$gate")
    wait_for "$work/port" "$gate"
    proxy=127.0.0.1:$(cat "$work/port")
}

# end_gate: ends it, and prints its summary of the agreement between gate and device.
end_gate() {
    kill "$gate"
    wait "$gate" || true
    cat "$work/gate.log"
}

if [ -n "$check" ]; then
    rm -f "$out"/witness.sqlite*
    gate check config/dictionaries/strict.plist witness
    # Foundation on Linux uses curl, which reads these variables and trusts only the system's CAs.
    http_proxy="http://$proxy" https_proxy="http://$proxy" no_proxy="" NO_PROXY="" \
        "$work/Witness" check "$proxy" "$work/targets" 5 >"$out/check.nscurl.txt"
    "$gate_program" evidence read --json "$out/check.nscurl.txt" >"$out/check.evidence.jsonl"
    end_gate
    "$gate_program" report --store "$out/witness.sqlite" --recording check --format jsonl >"$out/check.records.jsonl"
    $python witness/check.py "$work/targets" "$out/check.evidence.jsonl" "$out/check.records.jsonl"
    exit
fi

keychain=/Library/Keychains/System.keychain
if [ -n "$trust" ] && [ -n "$simulator" ]; then
    xcrun simctl keychain "$simulator" add-root-cert "$work/lab.conf.pem"
elif [ -n "$trust" ]; then
    sudo security add-trusted-cert -d -r trustRoot -k "$keychain" "$work/lab.conf.pem"
    trap 'sudo security remove-trusted-cert -d "$work/lab.conf.pem" || true; clean_up' EXIT
    # The ruling line may only be printed at this level.
    sudo log config --mode level:debug --subsystem com.apple.CFNetwork
fi

# bundle CASE DICTIONARY: makes an app whose Info.plist contains the dictionary.
bundle() {
    app=$work/$1.app
    local inside=$app
    [ -n "$simulator" ] || inside=$app/Contents
    mkdir -p "$inside"
    cp "$2" "$inside/Info.plist"
    plutil -replace CFBundleIdentifier -string "test.atsgate.witness.$1" "$inside/Info.plist"
    plutil -replace CFBundleExecutable -string Witness "$inside/Info.plist"
    plutil -replace CFBundlePackageType -string APPL "$inside/Info.plist"
    program=$inside/Witness
    if [ -z "$simulator" ]; then
        mkdir "$inside/MacOS"
        program=$inside/MacOS/Witness
    fi
    cp "$work/Witness" "$program"
    codesign --force --sign - "$app"
}

# witness CASE DICTIONARY: runs one case, from the gate to reading the evidence.
witness() {
    local name=$1 begun
    begun=$(date '+%Y-%m-%d %H:%M:%S')
    say "$name"
    gate "$name" "$2" witness
    bundle "$name" "$2"
    if [ -n "$simulator" ]; then
        xcrun simctl install "$simulator" "$app"
        SIMCTL_CHILD_CFNETWORK_DIAGNOSTICS=1 SIMCTL_CHILD_ACTIVITY_LOG_STDERR=1 \
            xcrun simctl launch --console "$simulator" "test.atsgate.witness.$name" "$name" "$proxy" "$work/targets" \
            >"$out/$name.nscurl.txt" 2>"$out/$name.console.txt"
        xcrun simctl spawn "$simulator" log show --start "$begun" --style ndjson --info --debug \
            --predicate 'process == "Witness"' >"$out/$name.ndjson"
    else
        CFNETWORK_DIAGNOSTICS=1 ACTIVITY_LOG_STDERR=1 "$program" "$name" "$proxy" "$work/targets" \
            >"$out/$name.nscurl.txt" 2>"$out/$name.console.txt"
        log show --start "$begun" --style ndjson --info --debug --predicate 'process == "Witness"' >"$out/$name.ndjson"
    fi
    end_gate
    "$gate_program" evidence read --json "$out/$name.nscurl.txt" "$out/$name.console.txt" "$out/$name.ndjson" \
        >"$out/$name.evidence.jsonl"
}

status=0
for dictionary in config/dictionaries/*.plist witness/dictionaries/*.plist; do
    name=$(basename "$dictionary" .plist)
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    # Not combined with ||, because then set -e would not stop it at the first error.
    set +e
    (set -e && trap 'kill "${gate-}" 2>/dev/null || true' EXIT && witness "$name" "$dictionary")
    result=$?
    set -e
    [ $result = 0 ] || { echo "FAILED   $name" >&2 && status=1; }
done
if [ -z "$simulator" ] && [ -z "$only" ]; then
    sw_vers >"$out/system.txt"
    /usr/bin/nscurl --ats-diagnostics --verbose https://example.com >"$out/nscurl.txt" 2>&1 || true
fi
exit $status
