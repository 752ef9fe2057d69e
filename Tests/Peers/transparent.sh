#!/usr/bin/env bash
# Clients that are redirected to a real gate by the real nft, iptables and kernel, in separate network namespaces:
# nginx, curl and scripted peers. Prints one line for each check that passes; the network of this machine is not
# touched.
#
#   Tests/Peers/transparent.sh
#   PEERS_CONNECTIONS=1000 PEERS_GATE=.build/release/atsgate Tests/Peers/transparent.sh
#
# Needs nft, iptables, ip, nginx, curl, and root or user namespaces. Exit: 0 if everything passed, 1 at the first
# failure, 2 if it could not start: in a container that forbids namespaces, for example.
cd "$(dirname "$0")/../.." || exit
if [ "${TRANSPARENT_INSIDE-}" != yes ]; then
    [ "$(uname -s)" = Linux ] || { echo "transparent: this is not Linux" >&2 && exit 2; }
    # An ordinary user is root in a user namespace, if the system allows one.
    own=(unshare --net --mount --pid --fork --mount-proc)
    [ "$(id -u)" = 0 ] || own+=(--map-root-user)
    "${own[@]}" true || { echo "transparent: no network namespace can be made here: run it as root" >&2 && exit 2; }
    # Before the mounts hide the build folder.
    if [ -z "${PEERS_GATE-}" ]; then
        swift build --product atsgate >/dev/null || exit 2
        PEERS_GATE=$(swift build --show-bin-path)/atsgate
    fi
    TRANSPARENT_INSIDE=yes PEERS_GATE=$PEERS_GATE ROOT_IS_REAL=$([ "$(id -u)" = 0 ] && echo yes) \
        exec "${own[@]}" "$0" "$@"
fi

deadline_seconds=30 missing_status=1
here=Tests/Peers
. $here/preamble.sh transparent
. $here/namespaces.sh
. $here/origins.sh
gate_program=$(realpath "$PEERS_GATE")
missing() { echo "MISSING  $*" >&2 && tail -n 20 "$work"/*.log >&2 && exit 1; }
ports='{ 25, 80, 443 }'

# start_gate_as WHO OPTION...: by default as an unprivileged user; in a user namespace there is no other user.
start_gate_as() {
    local who=$1 as=()
    shift
    [ "$who" = root ] || [ "$ROOT_IS_REAL" != yes ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    rm -rf "$work/gate" "$work/port"
    mkdir -m 700 "$work/gate" && chmod 755 "$work"
    [ "$ROOT_IS_REAL" != yes ] || chown 65534:65534 "$work/gate"
    [ "$who" != root ] || chown 0:0 "$work/gate"
    HOME=$work/gate "${as[@]}" "$gate_program" proxy --policy "$work/policy.json" --roots "$work/root.pem" \
        --allow-lan --allow-lan-to-host --listen transparent://0.0.0.0:9902,label=phone \
        --listen 'transparent://[::]:9902,label=phone' --listen transparent://0.0.0.0:9903 \
        --port-file "$work/gate/port" --ca-dir "$work/gate/ca" --store none --web off \
        --json "$work/gate/records.jsonl" --drain 5s --quiet "$@" 2>"$work/gate.log" &
    gate=$!
    running+=("$gate")
    wait_until "the gate, as $who" "$gate" test -s "$work/gate/port"
    cp "$work/gate/ca/ca-cert.pem" "$work/ca.pem"
}
stop_gate() {
    kill "$gate"
    wait "$gate" || true
}

visit() { in_client curl -sS --max-time 20 --cacert "$work/ca.pem" -o "$work/body" -w '%{http_code} %{http_version}' "$@"; }
# sees WORDS CODE CURL...: compares curl's exit code and its summary of the answer.
sees() {
    local words=$1 wanted=$2 seen status=0
    shift 2
    seen=$(visit "$@" 2>>"$work/curl.log") || status=$?
    [ "$seen ($status)" = "$wanted" ] || missing "$words: $seen ($status), not $wanted"
    echo "$words"
}
# The checks for every way of redirecting.
see_basics() {
    local family
    for family in -4 -6; do
        sees "$1, http, $family" "200 1.1 (0)" $family http://clear.peers.test/small
        sees "$1, blocked http, $family" "403 1.1 (0)" $family http://forbidden.peers.test/small
        sees "$1, TLS and HTTP/2, $family" "200 2 (0)" $family https://h2.peers.test/small
        sees "$1, TLS and HTTP/1.1, $family" "200 1.1 (0)" $family --http1.1 https://h1.peers.test/small
    done
}

make_network
in_origin ip address add 198.51.100.11/32 dev lo
make_certificates
mkdir "$work/site" "$work/nginx"
echo small >"$work/site/small"
chmod -R a+rX "$work"
cat >"$work/policy.json" <<'JSON'
{"NSAppTransportSecurity": {"NSExceptionDomains": {
    "clear.peers.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}}
JSON
# The only names that resolve here.
for name in clear forbidden h1 h2 mail; do
    printf '198.51.100.10 %s.peers.test\n2001:db8:7::10 %s.peers.test\n' $name $name
done >"$work/hosts"
echo "127.0.0.1 localhost" >>"$work/hosts"
mount --bind "$work/hosts" /etc/hosts
sed "s|WORK|$work|g" $here/transparent.conf >"$work/nginx.conf"
in_origin nginx -e "$work/nginx.log" -c "$work/nginx.conf" &
running+=("$!")
in_origin $python $here/transparent.py serve >"$work/served.txt" 2>"$work/served.log" &
running+=("$!")
wait_until "the origins" "$!" grep -q listening "$work/served.txt"
wait_until "nginx" "$!" in_origin curl -sf -o /dev/null --max-time 1 http://198.51.100.10/small

say "nft redirect, to a gate of an ordinary user"
sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
nft -f - <<NFT
table inet led {
    chain arriving {
        type nat hook prerouting priority dstnat;
        iifname "wlan0" ip daddr 198.51.100.11 tcp dport 8000 redirect to :9903
        iifname "wlan0" tcp dport $ports redirect to :9902
    }
    chain passing { type filter hook forward priority filter; udp dport 443 reject; }
}
NFT
start_gate_as nobody
see_basics "nft"
in_client $python $here/transparent.py mail 198.51.100.10 || missing "a server that speaks first"
in_client $python $here/transparent.py quic 198.51.100.10 2001:db8:7::10 || missing "QUIC"
in_client $python $here/transparent.py socket ws://clear.peers.test/socket || missing "WebSocket"
in_client $python $here/transparent.py socket wss://h1.peers.test/socket "$work/ca.pem" || missing "WebSocket over TLS"
sees "a public name decides, whatever address was dialed" "200 2 (0)" --connect-to h2.peers.test:443:198.51.100.11:443 \
    https://h2.peers.test/small
sees "a local name is not more lenient than the address" "403 1.1 (0)" \
    --connect-to intranet:80:198.51.100.11:80 http://intranet/small
sees "another address in Host is misdirected" "421 1.1 (0)" -H 'Host: 10.0.0.1' http://198.51.100.11/small
sees "a connection to the gate itself is closed" "000 0 (52)" http://10.42.0.1:9902/
sees "an unreachable origin fails in TLS" "000 0 (35)" \
    --connect-to gone.peers.test:443:203.0.113.77:443 https://gone.peers.test/
in_client $python $here/transparent.py crowd clear.peers.test "${PEERS_CONNECTIONS:-10000}" || missing "a crowd"
stop_gate
$python $here/transparent.py records "$work/gate/records.jsonl" \
    "allowed|http://clear.peers.test/small|transparent|198.51.100.10:80" \
    "allowed|http://clear.peers.test/small|transparent|[2001:db8:7::10]:80" \
    "blocked|http://forbidden.peers.test/small|transparent|-|ats.cleartext-load" \
    "allowed|https://h2.peers.test/small|transparent|198.51.100.10:443" \
    "allowed|https://h2.peers.test/small|transparent|[2001:db8:7::10]:443" \
    "allowed|https://h2.peers.test/small|transparent|198.51.100.11:443" \
    "blocked|http://intranet/small|transparent|-|client.address" \
    "failed|http://10.0.0.1/small|transparent|198.51.100.11:80|client.address" \
    "outside|https://198.51.100.10:25/|transparent|-" \
    "failed|https://10.42.0.1:9902/|transparent|-|gate.loop" \
    || missing "the records"

say "nft redirect, through a parent proxy"
start_parent
start_gate_as nobody --parent "$parent"
see_basics "a parent"
stop_gate
for wanted in 198.51.100.10:80 198.51.100.10:443 '[2001:db8:7::10]:80' '[2001:db8:7::10]:443'; do
    grep -qxF "CONNECT $wanted" "$work/parent.txt" || missing "a request to the parent for $wanted"
done
[ "$(grep -c peers.test "$work/parent.txt")" = 0 ] || missing "no request to the parent with a name"
echo "the parent got requests for the original addresses, and for no name"

say "iptables REDIRECT, to a gate of an ordinary user"
nft delete table inet led
for tables in iptables ip6tables; do
    $tables -t nat -A PREROUTING -i wlan0 -p tcp -m multiport --dports 25,80,443 -j REDIRECT --to-ports 9902
done
start_gate_as nobody
see_basics "iptables"
stop_gate

say "TPROXY"
nft flush ruleset
nft -f - <<NFT
table inet led {
    chain arriving {
        type filter hook prerouting priority mangle;
        iifname "wlan0" meta l4proto tcp tcp dport $ports tproxy to :9902 meta mark set 1 accept
    }
}
NFT
for version in -4 -6; do
    ip $version rule add fwmark 1 lookup 100
    ip $version route add local default dev lo table 100
done
start_gate_as root
see_basics "TPROXY"
stop_gate
$python $here/transparent.py records "$work/gate/records.jsonl" \
    "allowed|https://h2.peers.test/small|transparent|198.51.100.10:443" \
    "allowed|http://clear.peers.test/small|transparent|[2001:db8:7::10]:80" || missing "the records of TPROXY"
