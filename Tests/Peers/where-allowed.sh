#!/bin/sh
# Runs a script that makes its own networks, if the system allows that: most containers do not, and a test cannot change
# it. Prints a reason if the script is left out.
#
#   Tests/Peers/where-allowed.sh Tests/Peers/gateway.sh
#
# Exit: that of the script; if it was left out, 0, or 1 with NAMESPACES=required.
set -u
cd "$(dirname "$0")/../.." || exit

left_out() {
    printf '%s: LEFT OUT: %s\n' "$(basename "$1" .sh)" "$2" >&2
    [ "${NAMESPACES-}" != required ]
    exit
}

[ "$(uname -s)" = Linux ] || left_out "$1" "it needs Linux"
users=--map-root-user
[ "$(id -u)" != 0 ] || users=
PATH=$PATH:/usr/sbin:/sbin
# Tries what the scripts need: a network and mounts, packet rules, a file mounted over another.
reason=$(unshare $users --net --mount --pid --fork --mount-proc \
    sh -c 'nft add table inet probe && ip link add probe0 type veth peer name probe1 &&
    mount --bind /tmp /mnt' 2>&1 >/dev/null) ||
    left_out "$1" "this system forbids network namespaces: $reason"
case $1 in
    */capture.sh)
        # It also runs as an unprivileged user.
        [ -n "$users" ] || setpriv --reuid 65534 --regid 65534 --clear-groups unshare --map-root-user --net true ||
            left_out "$1" "this system forbids network namespaces for ordinary users"
        ;;
    */gateway.sh) (: <>/dev/net/tun) 2>/dev/null || left_out "$1" "/dev/net/tun cannot be opened" ;;
esac
exec "$1"
