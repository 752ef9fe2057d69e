# shellcheck shell=bash
# Three machines: a client, this one as its gateway, and the network beyond. Source it in a process with its own network
# namespace. Needs: work, running, wait_until.

# The client on wlan0, 10.42.0.0/24 and fd42::/64; beyond, on up0, origins at 198.51.100.10 and 2001:db8:7::10.
make_network() {
    ip link set lo up
    # Addresses are usable immediately: no other machine can have them.
    sysctl -q -w net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.all.accept_dad=0
    namespace client
    namespace origin
    ip link add wlan0 type veth peer name eth0 netns "$client"
    ip link add up0 type veth peer name eth0 netns "$origin"
    ip address add 10.42.0.1/24 dev wlan0
    ip address add fd42::1/64 dev wlan0 nodad
    ip address add 203.0.113.1/24 dev up0
    ip address add 2001:db8:5::1/64 dev up0 nodad
    ip link set wlan0 up
    ip link set up0 up
    in_client ip link set eth0 up
    in_client ip address add 10.42.0.2/24 dev eth0
    in_client ip address add fd42::2/64 dev eth0 nodad
    in_client ip route add default via 10.42.0.1
    in_client ip -6 route add default via fd42::1
    in_origin ip link set eth0 up
    in_origin ip address add 203.0.113.2/24 dev eth0
    in_origin ip address add 2001:db8:5::2/64 dev eth0 nodad
    in_origin ip address add 198.51.100.10/32 dev lo
    in_origin ip address add 2001:db8:7::10/128 dev lo nodad
    # The network beyond has no route back to the client.
    in_origin ip route add default via 203.0.113.1
    in_origin ip -6 route add default via 2001:db8:5::1
    ip route add default via 203.0.113.2
    ip -6 route add default via 2001:db8:5::2
    in_origin ip route add unreachable 10.42.0.0/24
    in_origin ip -6 route add unreachable fd42::/64
}

# namespace NAME: makes a machine of that name; in_NAME COMMAND... runs there.
namespace() {
    unshare --net sleep infinity &
    running+=("$!")
    eval "$1=$!"
    wait_until "namespace $1" "$!" elsewhere "$!"
    eval "in_$1() { nsenter --net --target $! -- \"\$@\"; }"
    nsenter --net --target "$!" -- ip link set lo up
}
elsewhere() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }

# join_tunnel NAME FILE: the machine NAME reads FILE like a phone's WireGuard app, and sends all traffic through the
# tunnel. Its WireGuard packets use a separate link, which only connects to this machine.
join_tunnel() {
    local address
    ip link add "to-$1" type veth peer name eth0 netns "$(eval "echo \$$1")"
    ip address add 192.0.2.1/32 dev "to-$1"
    ip link set "to-$1" up
    "in_$1" ip link set eth0 up
    "in_$1" ip address add "192.0.2.${1##*[a-z]}0/32" dev eth0
    ip route add "192.0.2.${1##*[a-z]}0/32" dev "to-$1"
    "in_$1" ip route add 192.0.2.1/32 dev eth0
    "in_$1" ip route add 203.0.113.1/32 via 192.0.2.1 dev eth0
    "in_$1" wireguard-go "tun-$1" >/dev/null 2>&1
    grep -vE '^(Address|DNS|MTU) ' "$2" >"$work/$1.wg"
    "in_$1" wg setconf "tun-$1" "$work/$1.wg"
    for address in $(sed -n 's/^Address = //p' "$2" | tr -d ,); do "in_$1" ip address add "$address" dev "tun-$1"; done
    "in_$1" ip link set "tun-$1" mtu 1280 up
    "in_$1" ip route add default dev "tun-$1"
    "in_$1" ip -6 route add default dev "tun-$1"
    network6=$(sed -n 's/^Address = .*, \(.*\)::.*/\1/p' "$2")
}

# Makes nft and sysctl kill their caller with SIGKILL at the change number KILL_STEP: before it, or after it.
make_killers() {
    local program
    mkdir "$work/killers"
    for program in nft sysctl wireguard-go wg ip; do
        command -v $program >/dev/null || continue
        cat >"$work/killers/$program" <<KILLER
#!/bin/bash
real=$(command -v $program)
case "$program \$*" in
    "nft -f "* | "nft delete "* | "sysctl -q -w "* | "wireguard-go "* | "wg set "* | "ip address add "* | "ip link set "*) ;;
    *) exec \$real "\$@" ;;
esac
echo "$program \$*" >>$work/count
[ "\$(wc -l <$work/count)" = "\$KILL_STEP" ] || exec \$real "\$@"
[ "\$KILL_WHEN" = before ] || \$real "\$@"
kill -KILL \$PPID
KILLER
        chmod +x "$work/killers/$program"
    done
}
