#!/usr/bin/env bash
# A step of action.yml: starts the subcommand, with reports in $RUNNER_TEMP/atsgate. `run` writes annotations, its summary
# and its numbers by itself; for the others, the Markdown report is the summary.
#
# Exit: that of atsgate; 64 for another subcommand, or run without a command.
set -euo pipefail
home=$RUNNER_TEMP/atsgate
program=$home/program/atsgate
# shellcheck disable=SC2153  # ARGUMENTS is an input of the step
read -r -a arguments <<<"$ARGUMENTS"
if [ -n "$BASELINE" ]; then
    [ -e "$BASELINE" ] || : >"$BASELINE"
    arguments+=(--baseline "$BASELINE")
fi
output() { echo "$1=$2" >>"$GITHUB_OUTPUT"; }
stop() {
    echo "::error::$*"
    exit 64
}

# Writes one report of a command without a gate.
write() { "$program" "$SUBCOMMAND" "$CHECKED" "${arguments[@]+"${arguments[@]}"}" --format "$1" --output "$2"; }

case $SUBCOMMAND in
run)
    [ -n "$COMMAND" ] || stop "the input command is empty: run needs the command whose loads it judges"
    output sarif "$home/atsgate.sarif"
    output report "$home/atsgate.html"
    exec "$program" run --policy "$CHECKED" --ca-dir "$home/ca" "${arguments[@]+"${arguments[@]}"}" \
        --report "sarif=$home/atsgate.sarif" --report "html=$home/atsgate.html" -- bash -c "$COMMAND"
    ;;
lint | audit)
    report=$home/atsgate.md
    status=0
    write markdown "$report" || status=$?
    # 0 and 1 are verdicts; others are failures, whose message is in the log.
    [ $status -le 1 ] || exit $status
    cat "$report" >>"$GITHUB_STEP_SUMMARY"
    write sarif "$home/atsgate.sarif" || true
    if [ "$SUBCOMMAND" = audit ]; then
        report=$home/atsgate.html
        write html "$report" || true
    else
        "$program" lint "$CHECKED" "${arguments[@]+"${arguments[@]}"}" --format github || true
    fi
    output sarif "$home/atsgate.sarif"
    output report "$report"
    exit $status
    ;;
*) stop "the input subcommand is \"$SUBCOMMAND\", but must be run, lint or audit" ;;
esac
