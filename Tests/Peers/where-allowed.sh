#!/bin/sh
# Runs a script that makes networks of its own, where the system lets anybody: a container mostly does not, and no test
# can change that. What is left out is said, with the reason.
#
#   Tests/Peers/where-allowed.sh Tests/Peers/gateway.sh
#
# Exit: that of the script; 0 where it was left out, or 1 there when NAMESPACES=required.
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
# What each of them does first: a network and folders of its own, packet rules in it, a file over another.
reason=$(unshare $users --net --mount --pid --fork --mount-proc \
    sh -c 'nft add table inet probe && ip link add probe0 type veth peer name probe1 &&
    mount --bind /tmp /mnt' 2>&1 >/dev/null) ||
    left_out "$1" "this system forbids networks of one's own: $reason"
case $1 in
    */capture.sh)
        # It is tried as nobody, too.
        [ -n "$users" ] || setpriv --reuid 65534 --regid 65534 --clear-groups unshare --map-root-user --net true ||
            left_out "$1" "this system forbids ordinary users networks of their own"
        ;;
    */gateway.sh) (: <>/dev/net/tun) 2>/dev/null || left_out "$1" "/dev/net/tun can not be opened" ;;
esac
exec "$1"
