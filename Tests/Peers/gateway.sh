#!/usr/bin/env bash
# `setup gateway` and `setup wireguard` with the real nft, wireguard-go and kernel: clients that use this machine as
# their gateway, in separate network namespaces. Prints one line for each check that passes; the network of this machine
# is not touched.
#
#   Tests/Peers/gateway.sh
#   PEERS_GATE=.build/release/atsgate Tests/Peers/gateway.sh
#
# Needs nft, ip, sysctl, wg, wireguard-go with /dev/net/tun, and root, or user namespaces for everything except the
# tunnel.
# Exit: 0 if everything passed, 1 at the first failure, 2 if it could not start: in a container that forbids namespaces,
# for example.
cd "$(dirname "$0")/../.." || exit
if [ "${GATEWAY_INSIDE-}" != yes ]; then
    [ "$(uname -s)" = Linux ] || { echo "gateway: this is not Linux" >&2 && exit 2; }
    # An ordinary user is root in a user namespace, if the system allows one.
    own=(unshare --net --mount --pid --fork --mount-proc)
    [ "$(id -u)" = 0 ] || own+=(--map-root-user)
    "${own[@]}" true || { echo "gateway: no network namespace can be made here: run it as root" >&2 && exit 2; }
    # Before the mounts hide the build folder.
    if [ -z "${PEERS_GATE-}" ]; then
        swift build --product atsgate >/dev/null || exit 2
        PEERS_GATE=$(swift build --show-bin-path)/atsgate
    fi
    GATEWAY_INSIDE=yes PEERS_GATE=$PEERS_GATE exec "${own[@]}" "$0" "$@"
fi

deadline_seconds=30 missing_status=1
here=Tests/Peers
. $here/preamble.sh gateway
. $here/origins.sh
. $here/namespaces.sh
gate_program=$(realpath "$PEERS_GATE")
export HOME=$work/home XDG_DATA_HOME=
mkdir -m 700 "$HOME"
# wireguard-go's sockets differ by the names of interfaces only.
mkdir -p "$work/run" && mount --bind "$work/run" /run
atsgate() { "$gate_program" "$@" 2>>"$work/atsgate.log"; }

# Prints the state that a set-up may change, for comparison.
state() {
    nft list ruleset
    # Without the links to the machines of this script.
    ip -o link show | grep -v ': to-' | sed 's/ mtu .*//'
    sysctl -a 2>/dev/null | grep -E '\.(forwarding|ip_forward|accept_redirects|accept_ra) =' | grep -v '\.to-'
}
same_as_before() { state | diff "$work/before" - >&2 || missing "$1: the machine is not as before"; }
missing() { echo "MISSING  $*" >&2 && tail -n 20 "$work"/*.log >&2 && exit 1; }

make_network
origins=("198.51.100.10" "2001:db8:7::10")
# Starts the origin: nginx with http and TLS, in one namespace for all clients.
start_origin() {
    make_certificates
    mkdir "$work/site" "$work/nginx"
    echo origin >"$work/site/index.html"
    echo small >"$work/site/small"
    chmod -R a+rX "$work"
    sed "s|WORK|$work|g" $here/transparent.conf >"$work/nginx.conf"
    in_origin $python $here/transparent.py serve >"$work/served.txt" 2>"$work/served.log" &
    running+=("$!")
    wait_until "the scripted origins" "$!" grep -q listening "$work/served.txt"
    in_origin nginx -e "$work/nginx.log" -c "$work/nginx.conf" &
    running+=("$!")
    wait_until "nginx" "$!" test -s "$work/nginx/pid"
}
# gate OPTION...: starts a gate with a full dictionary; its records are in records.jsonl.
gate() {
    rm -f "$work/records.jsonl" "$work/port"
    "$gate_program" proxy "$@" --allow-lan --roots "$work/root.pem" --ca-dir "$work/ca" --store none --web off \
        --policy config/dictionaries/arbitrary-loads.plist --json "$work/records.jsonl" --port-file "$work/port" \
        --quiet 2>>"$work/gate.log" &
    gate=$!
    running+=("$gate")
    wait_until "the gate" "$gate" test -s "$work/port"
}
# visit_origin NAMESPACE LABEL ENTRANCE: http and TLS over IPv4 and IPv6, and their records.
visit_origin() {
    local address
    for address in "${origins[@]}"; do
        case $address in *:*) address="[$address]" ;; esac
        "in_$1" curl -sf --max-time 20 --resolve "a.peers.test:80:$address" http://a.peers.test/ >"$work/got.txt" &&
            grep -qx origin "$work/got.txt" || missing "http from $1 to $address"
        "in_$1" curl -sf --max-time 20 --resolve "a.peers.test:443:$address" --cacert "$work/ca/ca-cert.pem" \
            https://a.peers.test/ >"$work/got.txt" && grep -qx origin "$work/got.txt" || missing "TLS from $1 to $address"
    done
    wait_until "records of $1" "$gate" recorded "$2" "$3"
    echo "$1: http and TLS by IPv4 and IPv6 through the gate, recorded with label $2, entrance $3 and hello"
}
# speak NAMESPACE: all protocols over IPv4 and IPv6, and many connections.
speak() {
    local seen version family
    for family in -4 -6; do
        for version in 2 1.1; do
            seen=$("in_$1" curl -sS --max-time 20 $family "--http$version" --cacert "$work/ca/ca-cert.pem" \
                -o "$work/got.txt" -w '%{http_code} %{http_version}' https://a.peers.test/small) || true
            [ "$seen" = "200 $version" ] || missing "HTTP/$version from $1, $family: $seen"
        done
    done
    echo "$1: HTTP/2 and HTTP/1.1 in TLS, by IPv4 and IPv6"
    "in_$1" $python $here/transparent.py socket ws://a.peers.test/socket || missing "WebSocket from $1"
    "in_$1" $python $here/transparent.py socket wss://a.peers.test/socket "$work/ca/ca-cert.pem" ||
        missing "WebSocket over TLS from $1"
    "in_$1" $python $here/transparent.py mail 198.51.100.10 || missing "a server that speaks first, from $1"
    "in_$1" $python $here/transparent.py quic "${origins[@]}" || missing "QUIC from $1"
    "in_$1" $python $here/transparent.py crowd a.peers.test "${PEERS_CONNECTIONS:-10000}" || missing "a crowd from $1"
}
# After the end of a gate: checks that the doctor left no records.
unasked() {
    grep '"gate.loop"' "$work/records.jsonl" && missing "a doctor that leaves no record"
    echo "doctor: its checks leave no record"
}
# recorded LABEL ENTRANCE: four loads, of which the two over TLS have the hello of curl.
recorded() {
    local loads
    loads=$(grep "\"label\":\"$1\"" "$work/records.jsonl" | grep "\"entrance\":\"$2\"") || return
    [ "$(wc -l <<<"$loads")" = 4 ] && [ "$(grep -c '"reads":"other"' <<<"$loads")" = 2 ]
}
# A foreign table, and a hardened kernel.
nft 'table inet theirs { chain input { type filter hook input priority 0; policy accept; tcp dport 22 accept; }; }'
sysctl -q -w net.ipv4.conf.all.accept_redirects=0
state >"$work/before"

say "set up, use, undo"
atsgate setup gateway --interface wlan0 || missing "setup gateway"
[ "$(nft list tables)" = "$(printf 'table inet theirs\ntable inet atsgate')" ] || missing "a separate table"
$python $here/gateway.py listen 9902 >"$work/led.txt" 2>"$work/led.log" &
listener=$!
running+=("$listener")
wait_until "the listener" "$!" grep -q listening "$work/led.txt"
in_origin $python $here/gateway.py answer 8081 >"$work/beyond.txt" 2>"$work/beyond.log" &
running+=("$!")
wait_until "the origin" "$!" grep -q listening "$work/beyond.txt"
in_client $python $here/gateway.py visit 10.42.0.1 || missing "what a client sees"
for wanted in "198.51.100.10 80" "198.51.100.10 443" "2001:db8:7::10 80" "2001:db8:7::10 443"; do
    grep -qx "wanted $wanted" "$work/led.txt" || missing "the original address $wanted"
done
echo "IPv4 and IPv6, ports 80 and 443: redirected to the gate, with the original address"
atsgate setup gateway --interface wlan0 && [ "$(nft list tables | wc -l)" = 2 ] || missing "set up twice"
atsgate setup gateway --undo || missing "setup gateway --undo"
same_as_before "undone"
echo "--undo: rules, kernel settings and interfaces as before"

say "a gate behind it"
start_origin
# The gate resolves the name that a client sends, and compares it with the address that the client connected to.
printf '%s a.peers.test\n' "${origins[@]}" >"$work/hosts" && mount --bind "$work/hosts" /etc/hosts
atsgate setup gateway --interface wlan0 || missing "setup gateway"
kill "$listener" && wait "$listener" || true
gate --listen transparent://0.0.0.0:9902,label=phone --listen "transparent://[::]:9902,label=phone"
visit_origin client phone transparent
in_client curl -sf --max-time 10 --resolve atsgate.test:80:198.19.98.2 http://atsgate.test/lights.json >"$work/lights.json" &&
    grep -q '"through":true' "$work/lights.json" || missing "the gate's own pages through the redirect"
echo "client: the gate's own pages under their name"
atsgate doctor --gate 127.0.0.1:1 >"$work/doctor.txt" || true
grep -q '^ok      gateway' "$work/doctor.txt" || { cat "$work/doctor.txt" >&2 && missing "doctor of a gateway"; }
kill "$gate" && wait "$gate" || true
unasked
atsgate setup gateway --undo || missing "setup gateway --undo"
same_as_before "undone"

say "killed with -9 at each step"
make_killers
# killed STEPS WORDS...: runs the command and kills it before and after each of its STEPS changes.
killed() {
    local steps=$1 when step
    shift
    for when in before after; do
        for ((step = 1; step <= steps; step++)); do
            rm -f "$work/count"
            KILL_WHEN=$when KILL_STEP=$step PATH=$work/killers:$PATH atsgate "$@" >/dev/null &&
                missing "$1 $2 killed $when step $step"
            [ -e "$HOME/.local/share/atsgate/setup.json" ] || missing "a journal, killed $when step $step"
            # The next command that starts a gate.
            atsgate run --allow-no-loads -- true || missing "run after $1 $2 killed $when step $step"
            same_as_before "$1 $2 killed $when step $step"
            [ ! -e "$HOME/.local/share/atsgate/setup.json" ] || missing "no journal, after killed $when step $step"
            [ ! -e "$HOME/.local/share/atsgate/wireguard" ] || missing "no keys, after killed $when step $step"
        done
    done
    echo "$1 $2: the next start undoes all changes, killed before or after each of $steps steps"
}
killed 3 setup gateway --interface wlan0

say "rules of others"
nft 'table inet atsgate { chain theirs { tcp dport 22 accept; }; }'
state >"$work/before"
atsgate setup gateway --interface wlan0 && missing "a foreign table of that name is refused"
same_as_before "refused"
nft delete table inet atsgate
echo "a foreign table of that name is refused and left alone"

# A user namespace gives no access to /dev/net/tun beyond its file mode.
if [ ! -w /dev/net/tun ]; then
    echo "LEFT OUT  the tunnel: /dev/net/tun is missing, or not accessible for this user"
    exit 0
fi
say "two devices in a tunnel"
state >"$work/before"
endpoint=203.0.113.1:51820
ports=25,80,443
atsgate setup wireguard --peer phone1,os=ios18 --peer phone2 --endpoint $endpoint --ports $ports >"$work/gate.conf" ||
    missing "setup wireguard"
keys=$HOME/.local/share/atsgate/wireguard
[ -z "$(find "$keys" -type f ! -perm 600 && find "$keys" -type d ! -perm 700)" ] || missing "modes of the keys"
gate --config "$work/gate.conf"
# A foreign firewall, before any device connects: the doctor's output must be enough to let them in.
nft 'table inet wall {
    chain input {
        type filter hook input priority 0; policy drop;
        iifname lo accept; ct state established,related accept; meta l4proto ipv6-icmp accept;
    }
    chain forward { type filter hook forward priority 0; policy drop; }
}'
atsgate doctor --gate 10.98.2.1:9802 --ca-dir "$work/ca" >"$work/doctor.txt" || true
sed -n 's/^ *-> \(sudo nft insert rule inet wall .*\)/\1/p' "$work/doctor.txt" | sed 's/sudo //g' >"$work/openings.sh"
[ "$(wc -l <"$work/openings.sh")" = 2 ] && bash -e "$work/openings.sh" ||
    { cat "$work/doctor.txt" >&2 && missing "commands that open the firewall"; }
for name in phone1 phone2; do
    namespace $name
    join_tunnel $name "$keys/$name.conf"
done
visit_origin phone1 phone1 wireguard
visit_origin phone2 phone2 wireguard
speak phone1
in_phone2 $python $here/gateway.py names 10.98.2.1 atsgate.test=198.19.98.2 a.peers.test=198.51.100.10 \
    mask.icloud.com= mask-h2.icloud.com= || missing "names in the tunnel"
nft delete table inet wall
echo "all of this through a firewall that the doctor's commands opened"
in_phone2 curl -sf --max-time 10 --resolve atsgate.test:80:198.19.98.2 http://atsgate.test/lights.json >"$work/lights.json" &&
    grep -q '"through":true' "$work/lights.json" || missing "the gate's own pages through the redirect"
in_phone2 curl -sf --max-time 10 --resolve atsgate.test:443:198.19.98.2 --cacert "$work/ca/ca-cert.pem" \
    https://atsgate.test/lights.json >"$work/lights.json" && grep -q '"trusted":true' "$work/lights.json" ||
    missing "the gate's own pages in TLS through the redirect"
echo "the gate's own pages are available under their name, through the redirect"
atsgate doctor --gate 10.98.2.1:9802 --ca-dir "$work/ca" >"$work/doctor.txt" || true
[ "$(grep -c '^ok      wireguard' "$work/doctor.txt")" = 3 ] || { cat "$work/doctor.txt" >&2 && missing "doctor"; }
echo "doctor: the tunnel works, and both devices have connected"
in_phone1 $python $here/gateway.py shut 10.98.2.3:80 10.98.2.1:9912 10.98.2.1:22 "$network6::3:80" "$network6::1:9912" ||
    missing "devices kept apart"
in_phone2 $python $here/gateway.py answer 8080 >"$work/phone2.txt" 2>"$work/phone2.log" &
running+=("$!")
wait_until "the other device" "$!" grep -q listening "$work/phone2.txt"
in_phone1 curl -sf --max-time 10 --http0.9 -x http://10.98.2.1:9802 http://10.98.2.3:8080/ && missing "devices kept apart by the gate"
in_phone1 curl -sf --max-time 10 http://10.98.2.1:9802/lights.json >"$work/lights.json" || missing "the gate's page"
echo "isolation: no access to the other device, to its listener, or to other ports of this machine; the gate's page works"
kill "$gate" && wait "$gate" || true
unasked
start_parent
gate --config "$work/gate.conf" --parent "$parent"
visit_origin phone1 phone1 wireguard
[ "$(grep -c '^CONNECT .*:443$' "$work/parent.txt")" = 2 ] || missing "the parent proxy was not used"
echo "also through a parent proxy"
kill "$gate" && wait "$gate" || true
doctor_says() { atsgate doctor >"$work/doctor.txt" || true; grep -q "$1" "$work/doctor.txt" || { cat "$work/doctor.txt" >&2 && missing "doctor: $1"; }; }
doctor_says 'problem wireguard nothing listens at 10.98.2.1:9802'
nft flush chain inet atsgate_wireguard apart && doctor_says 'problem wireguard the table inet atsgate_wireguard lacks rules'
ip link delete dev atsgate0 && doctor_says 'problem wireguard the interface atsgate0 of the setup no longer exists'
echo "doctor: names a missing listener, rule and interface"
atsgate setup wireguard --peer phone1,os=ios18 --peer phone2 --endpoint $endpoint --ports $ports >/dev/null ||
    missing "set up again"
atsgate setup wireguard --undo --keep-keys && same_as_before "undone"
before=$(cat "$keys/phone1.conf")
atsgate setup wireguard --peer phone1,os=ios18 --peer phone2 --endpoint $endpoint --ports $ports >/dev/null &&
    [ "$(cat "$keys/phone1.conf")" = "$before" ] || missing "keys that were kept"
atsgate setup wireguard --undo && same_as_before "undone" && [ ! -e "$keys" ] || missing "no keys"
echo "--undo: interface, rules, settings and keys are gone; --keep-keys keeps the keys"
# Seven commands of sysctl, nft, wireguard-go, wg and ip make changes.
killed 8 setup wireguard --peers 2 --endpoint $endpoint --dns 198.51.100.10
