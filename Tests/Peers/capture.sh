#!/usr/bin/env bash
# Programs that ignore proxy settings, each in a separate network with a real gate: their loads must go through it
# anyway. curl, Go, Java, Node and a static binary; as root if this is root, and as an unprivileged user.
#
#   Tests/Peers/capture.sh
#   PEERS_GATE=.build/release/atsgate Tests/Peers/capture.sh
#
# Exit: 0 if all is right, 1 if not, 2 if it could not start, for example where namespaces are forbidden.
cd "$(dirname "$0")/../.." || exit

deadline_seconds=60 missing_status=2
here=Tests/Peers
. $here/preamble.sh capture
. $here/origins.sh

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.txt" 2>&1 || { cat "$work/build.txt" >&2 && exit 2; }
fi
program=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
program=$(realpath "$program")
chmod 755 "$work"

say "the clients are built"
cp $here/capture/* "$work"
(cd "$work" && GO111MODULE=off GOCACHE="$work/go" CGO_ENABLED=0 go build -o client-go client.go)
gcc -static -O1 -Wall -o "$work/client-static" "$work/client.c"
(cd "$work" && javac Client.java)
chmod -R a+rX "$work"

XDG_DATA_HOME=$work/data "$program" lab --write-config "$work/lab.conf" >"$work/lab.log" 2>&1 &
running+=($!)
wait_for "$work/lab.conf" $!
chmod a+r "$work"/lab.conf*

wrong=0
fail() {
    echo "WRONG  $*" >&2
    wrong=1
}

# as USER: runs the rest as this user, or as an unprivileged one, with separate folders.
as() {
    local who=$1
    shift
    if [ "$who" = self ]; then
        XDG_DATA_HOME=$work/self HOME=$work/self "$@"
    else
        XDG_DATA_HOME=$work/$who HOME=$work/$who TMPDIR=$work/$who setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    fi
}

# captured WHO OPTION... -- COMMAND...: runs it with a gate; its records are in $work/WHO/records.jsonl.
captured() {
    local who=$1
    shift
    rm -f "$work/$who/records.jsonl"
    (cd "$work/$who" && as "$who" "$program" run --capture -q --config "$work/lab.conf" --store none \
        --json "$work/$who/records.jsonl" "$@") 2>"$work/$who.log"
}

# expect WHO WORDS LINE...: compares the records with the lines: scheme, host, verdict, entrance.
expect() {
    local who=$1 words=$2
    shift 2
    $python $here/capture.py "$work/$who/records.jsonl" >"$work/found"
    printf '%s\n' "$@" >"$work/wanted"
    sort -u -o "$work/found" "$work/found"
    diff -u <(sort -u "$work/wanted") "$work/found" >&2 || fail "$words as $who"
}

good=https://good.lab.test/
for who in self ${who_else:-$([ "$(id -u)" -ne 0 ] || echo nobody)}; do
    mkdir -p "$work/$who"
    [ "$who" = self ] || chown 65534:65534 "$work/$who"
    say "as $who: the environment"
    if ! captured "$who" --allow-no-loads -- true; then
        cat "$work/$who.log" >&2
        exit 2
    fi

    say "as $who: programs that ignore proxy settings"
    for client in "curl -sS --fail -o $work/$who/answer --noproxy * $good" "$work/client-go $good" \
        "java -cp $work Client $good" "env -u NODE_USE_ENV_PROXY node $work/client.js $good"; do
        set -f
        # shellcheck disable=SC2086  # a command and its arguments
        captured "$who" --outside judge -- $client || fail "$client as $who: status $?: $(tail -n 3 "$work/$who.log")"
        set +f
        expect "$who" "$client" "https good.lab.test allowed capture"
    done
    captured "$who" --outside judge --connect-to 198.51.100.9:80:127.0.0.1:1 -- "$work/client-static" 198.51.100.9 ||
        [ $? -eq 1 ] || fail "a static binary as $who"
    expect "$who" "a static binary" "http shop.example blocked capture"

    say "as $who: captured loads are judged, unless --outside pass is given"
    captured "$who" --outside pass -- curl -sS --fail -o "$work/$who/answer" --noproxy '*' $good &&
        fail "a run with only outside loads succeeds"
    expect "$who" "curl without a proxy" "https good.lab.test outside capture"
    captured "$who" -- curl -sS --fail -o "$work/$who/answer" $good || fail "curl with the proxy as $who"
    expect "$who" "curl with the proxy" "https good.lab.test allowed -"

    say "as $who: through a parent proxy"
    [ -n "${parent-}" ] || start_parent
    asked=$(grep -c ^CONNECT "$work/parent.txt" || true)
    captured "$who" --outside judge --parent "$parent" -- curl -sS --fail -o "$work/$who/answer" --noproxy '*' $good ||
        fail "curl through a parent as $who: $(tail -n 3 "$work/$who.log")"
    expect "$who" "curl through a parent" "https good.lab.test allowed capture"
    [ "$(grep -c ^CONNECT "$work/parent.txt")" -gt "$asked" ] || fail "the parent was not used as $who"

    say "as $who: the command's own servers, and addresses without any"
    captured "$who" --allow-no-loads -- $python "$work/inside.py" || fail "inside as $who: $(cat "$work/$who.log")"
    code=0 && captured "$who" --allow-no-loads -- sh -c 'exit 7' || code=$?
    [ $code -eq 7 ] || fail "a command's status 7 is $code"
    code=0 && captured "$who" --allow-no-loads -- ./no-such-command || code=$?
    [ $code -eq 127 ] || fail "the exit code of a missing command is $code"

    say "as $who: a gate that is killed"
    : >"$work/$who/pid" && chmod a+w "$work/$who/pid"
    captured "$who" --allow-no-loads -- sh -c 'echo $$ >pid; exec sleep 600' &
    started=$!
    wait_for "$work/$who/pid" $started
    command=$(cat "$work/$who/pid")
    kill -9 "$(ps -o ppid= -p "$command" | tr -d ' ')"
    wait $started 2>/dev/null || true
    end=$((SECONDS + deadline_seconds))
    while kill -0 "$command" 2>/dev/null && [ $SECONDS -lt $end ]; do sleep 0.05; done
    kill -0 "$command" 2>/dev/null && fail "a command outlives its gate"
done

if [ "$(id -u)" -eq 0 ]; then
    say "namespaces are forbidden"
    code=0
    unshare -U -r sh -c "echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all \
        '$program' run --capture --store none --ca-dir '$work/ca' -- true" 2>"$work/forbidden.log" || code=$?
    [ $code -eq 69 ] || fail "exit code $code where namespaces are forbidden"
    grep -q 'user.max_user_namespaces=1000, or run without --capture' "$work/forbidden.log" ||
        fail "$(cat "$work/forbidden.log")"
fi
[ $wrong -eq 0 ] && say "all programs that ignore proxy settings went through the gate"
exit $wrong
