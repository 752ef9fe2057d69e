# shellcheck shell=bash disable=SC2034
# The common start of all scripts that run a real gate: sourced from the package's folder, with a name for the work
# folder.
# Sets work, running, python, say, listens, wait_until and wait_for; the folder is deleted when the script ends.
#
#   deadline_seconds=30 missing_status=1
#   . Tests/Peers/preamble.sh peers
#
# deadline_seconds: the time limit for any wait. missing_status: the exit code if it passes, by default 2.
set -euo pipefail
exec </dev/null
PATH=$PATH:/usr/sbin
export PYTHONDONTWRITEBYTECODE=1

# The system's packages, not those of another Python that comes first on PATH.
python=/usr/bin/python3
[ -x $python ] || python=python3

work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-$1.XXXXXX")
running=()
clean_up() {
    local pid end=$((SECONDS + deadline_seconds))
    for pid in ${running[@]+"${running[@]}"}; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    # A browser's own processes continue for a moment and still write; this script cannot wait for them.
    until rm -rf "$work" 2>/dev/null || [ $SECONDS -ge $end ]; do sleep 0.05; done
    rm -rf "$work"
}
trap clean_up EXIT

say() { printf '== %s\n' "$*"; }

# wait_until WORDS PID COMMAND...: waits until COMMAND succeeds; only process PID can make it succeed.
wait_until() {
    local words=$1 pid=$2 end=$((SECONDS + deadline_seconds))
    shift 2
    until "$@" 2>/dev/null; do
        if ! kill -0 "$pid" 2>/dev/null || [ $SECONDS -ge $end ]; then
            echo "MISSING  $words" >&2
            tail -n 20 "$work"/*.log >&2
            exit "${missing_status:-2}"
        fi
        sleep 0.05
    done
}

# wait_for FILE PID: waits until FILE, which PID writes, has content.
wait_for() { wait_until "$(basename "$1")" "$2" test -s "$1"; }

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
