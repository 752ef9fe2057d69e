#!/usr/bin/env bash
# `setup gateway` with the real nft and kernel: a client behind a gateway, in network namespaces of their own. Prints one
# line for each thing that was seen to work; nothing of it touches the network of this machine.
#
#   Tests/Peers/gateway.sh
#   PEERS_GATE=.build/release/atsgate Tests/Peers/gateway.sh
#
# Needs nft, ip, sysctl, and root or namespaces of users. Exit: 0 when everything was there, 1 at the first thing missing,
# 2 when it could not begin: in a container that forbids namespaces, for example.
cd "$(dirname "$0")/../.." || exit
if [ "${GATEWAY_INSIDE-}" != yes ]; then
    [ "$(uname -s)" = Linux ] || { echo "gateway: this is not Linux" >&2 && exit 2; }
    # An ordinary user is root in a namespace of users, where the system allows that.
    own=(unshare --net --mount --pid --fork --mount-proc)
    [ "$(id -u)" = 0 ] || own+=(--map-root-user)
    "${own[@]}" true || { echo "gateway: no network namespace can be made here: run it as root" >&2 && exit 2; }
    # Made where nothing hides the folder of the build.
    if [ -z "${PEERS_GATE-}" ]; then
        swift build --product atsgate >/dev/null || exit 2
        PEERS_GATE=$(swift build --show-bin-path)/atsgate
    fi
    GATEWAY_INSIDE=yes PEERS_GATE=$PEERS_GATE exec "${own[@]}" "$0" "$@"
fi

deadline_seconds=30 missing_status=1
here=Tests/Peers
. $here/preamble.sh gateway
. $here/namespaces.sh
gate_program=$(realpath "$PEERS_GATE")
export HOME=$work/home XDG_DATA_HOME=
mkdir -m 700 "$HOME"
atsgate() { "$gate_program" "$@" 2>>"$work/atsgate.log"; }

# What a set-up may change, to be compared.
state() {
    nft list ruleset
    ip -o link show | sed 's/ mtu .*//'
    sysctl -a 2>/dev/null | grep -E '\.(forwarding|ip_forward|accept_redirects|accept_ra) ='
}
same_as_before() { state | diff "$work/before" - >&2 || missing "$1: the machine is not as before"; }
missing() { echo "MISSING  $*" >&2 && tail -n 20 "$work"/*.log >&2 && exit 1; }

make_network
# A table of somebody else's, and a hardened kernel.
nft 'table inet theirs { chain input { type filter hook input priority 0; policy accept; tcp dport 22 accept; }; }'
sysctl -q -w net.ipv4.conf.all.accept_redirects=0
state >"$work/before"

say "set up, used, taken back"
atsgate setup gateway --interface wlan0 || missing "setup gateway"
[ "$(nft list tables)" = "$(printf 'table inet theirs\ntable inet atsgate')" ] || missing "a table of its own"
$python $here/gateway.py listen 9902 >"$work/led.txt" 2>"$work/led.log" &
running+=("$!")
wait_until "the listener" "$!" grep -q listening "$work/led.txt"
in_origin $python $here/gateway.py answer 8080 >"$work/beyond.txt" 2>"$work/beyond.log" &
running+=("$!")
wait_until "the origin" "$!" grep -q listening "$work/beyond.txt"
in_client $python $here/gateway.py visit 10.42.0.1 || missing "what a client sees"
for wanted in "198.51.100.10 80" "198.51.100.10 443" "2001:db8:7::10 80" "2001:db8:7::10 443"; do
    grep -qx "wanted $wanted" "$work/led.txt" || missing "the wanted address $wanted"
done
echo "IPv4 and IPv6, ports 80 and 443: led to the gate, with the address that was wanted"
atsgate setup gateway --interface wlan0 && [ "$(nft list tables | wc -l)" = 2 ] || missing "set up twice"
atsgate setup gateway --undo || missing "setup gateway --undo"
same_as_before "undone"
echo "--undo: rules, kernel settings and interfaces as before"

say "killed with -9 at each step"
make_killers
for when in before after; do
    for step in 1 2 3; do
        rm -f "$work/count"
        KILL_WHEN=$when KILL_STEP=$step PATH=$work/killers:$PATH atsgate setup gateway --interface wlan0 &&
            missing "killed $when step $step"
        [ -e "$HOME/.local/share/atsgate/setup.json" ] || missing "a journal, killed $when step $step"
        # The next start, of whatever starts a gate.
        atsgate run --allow-no-loads -- true || missing "run after killed $when step $step"
        same_as_before "killed $when step $step"
        [ ! -e "$HOME/.local/share/atsgate/setup.json" ] || missing "no journal, after killed $when step $step"
    done
done
echo "the next start takes back what was made"

say "rules of others"
nft 'table inet atsgate { chain theirs { tcp dport 22 accept; }; }'
state >"$work/before"
atsgate setup gateway --interface wlan0 && missing "a table of that name, made by somebody else, is refused"
same_as_before "refused"
nft delete table inet atsgate
echo "a table of that name, made by somebody else, is refused and left alone"
