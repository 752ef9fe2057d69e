#!/usr/bin/env bash
# Runs the steps of action.yml as GitHub's runner does: the archive from a server, then `lint`, `run` and wrong inputs.
#
#   Tests/Peers/action.sh
#   PEERS_GATE=.build/release/atsgate Tests/Peers/action.sh
#
# Exit: 0; 1 if a step has another result than expected; 2 if it could not start.
cd "$(dirname "$0")/../.." || exit
deadline_seconds=60
. Tests/Peers/preamble.sh action

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && exit 2; }
fi
gate_program=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}

mkdir -p "$work/atsgate-0-test" "$work/served" "$work/temp"
cp "$gate_program" "$work/atsgate-0-test/atsgate"
XZ_OPT=-0 tar -C "$work" -cJf "$work/served/atsgate.tar.xz" atsgate-0-test
digest=$(sha256sum "$work/served/atsgate.tar.xz")
digest=${digest%% *}
$python -u -m http.server --bind 127.0.0.1 --directory "$work/served" 0 >"$work/server.log" 2>&1 &
running+=("$!")
wait_until "the archive's server" "$!" grep -q 'port [0-9]' "$work/server.log"
port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$work/server.log" | head -n 1)

# The part of the runner's environment that the steps use.
export GITHUB_ACTION_PATH=$PWD RUNNER_TEMP=$work/temp GITHUB_PATH=$work/path GITHUB_OUTPUT=$work/output
export GITHUB_STEP_SUMMARY=$work/summary GITHUB_ACTIONS=true HOME=$work
export ARCHIVE=http://127.0.0.1:$port/atsgate.tar.xz SHA256=$digest
export SUBCOMMAND=lint CHECKED=config/dictionaries/arbitrary-loads.plist COMMAND="" ARGUMENTS="" BASELINE=""
: >"$GITHUB_OUTPUT"
: >"$GITHUB_STEP_SUMMARY"

failed=0
# expect STATUS NAME COMMAND...
expect() {
    local wanted=$1 name=$2 status=0
    shift 2
    "$@" >"$work/$name.txt" 2>&1 || status=$?
    if [ "$status" = "$wanted" ]; then
        echo "ok       $name"
    else
        echo "WRONG    $name: exit $status, not $wanted" >&2
        tail -n 20 "$work/$name.txt" >&2
        failed=1
    fi
}
# contains FILE TEXT
contains() { grep -qF -- "$2" "$1" || { echo "WRONG    $1 lacks: $2" >&2 && failed=1; }; }

SHA256=${digest%?}x expect 1 another-digest config/action/install.sh
expect 0 install config/action/install.sh
contains "$GITHUB_PATH" "$RUNNER_TEMP/atsgate/program"
# The program is in the cache now.
ARCHIVE=http://127.0.0.1:1/none expect 0 install-from-cache config/action/install.sh

ARGUMENTS=--strict expect 1 lint config/action/start.sh
contains "$work/lint.txt" "::error"
contains "$GITHUB_STEP_SUMMARY" "lint.arbitrary-loads"
contains "$GITHUB_OUTPUT" "sarif=$RUNNER_TEMP/atsgate/atsgate.sarif"
$python -c 'import json, sys; assert json.load(open(sys.argv[1]))["runs"][0]["results"]' \
    "$RUNNER_TEMP/atsgate/atsgate.sarif" || failed=1
CHECKED=$work/missing.plist expect 65 lint-of-nothing config/action/start.sh
SUBCOMMAND=serve expect 64 another-subcommand config/action/start.sh
SUBCOMMAND=run expect 64 run-without-command config/action/start.sh

# An http load without an entry in the dictionary is blocked, and a baseline knows it.
export SUBCOMMAND=run CHECKED=config/dictionaries/one-exception-domain.plist
load="curl --silent --output /dev/null http://plain.example.test/"
COMMAND="$load; true" expect 1 run config/action/start.sh
contains "$work/run.txt" "::error"
contains "$GITHUB_OUTPUT" "blocked"
[ -s "$RUNNER_TEMP/atsgate/atsgate.html" ] || { echo "WRONG    no HTML report" >&2 && failed=1; }
BASELINE=$work/baseline.txt COMMAND="$load; true" ARGUMENTS="--write-baseline $work/baseline.txt" \
    expect 0 run-writes-baseline config/action/start.sh
BASELINE=$work/baseline.txt COMMAND="$load; true" expect 0 run-with-baseline config/action/start.sh
exit $failed
