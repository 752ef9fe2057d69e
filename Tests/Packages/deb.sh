#!/usr/bin/env bash
# Installs the .deb on a bare Debian, and uses and purges it before systemd runs, as in an image. Then systemd starts, and
# the service is started by hand and by its socket, restarted and upgraded while clients connect, started with wrong
# options, removed and purged. Needs root, systemd-nspawn, and a network until the system has started.
#
#   Tests/Packages/deb.sh PACKAGE.deb [bookworm|trixie|...]
#
# Exit: 0, or 1 with the first problem.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/Packages/bare.sh
. Tests/Packages/bare.sh

aftermath() { [ -z "$init" ] || within journalctl --no-pager --lines 30; }
trap 'fail "line $LINENO"' ERR
init=
manager=
package=$(realpath "$1")
suite=${2:-bookworm}
bare=$(bare "$suite")
work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-deb.XXXXXX")
root=$work/root
clean_up() {
    # Kills its first process, which ends all others in it.
    [ -z "$init" ] || kill -KILL "$init" 2>/dev/null || true
    [ -z "$manager" ] || wait "$manager" 2>/dev/null || true
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
cp -a "$bare" "$root"

within() {
    if [ -z "$init" ]; then chroot "$root" "${clean[@]}" "$@"; else nsenter --all --target "$init" "${clean[@]}" "$@"; fi
}

say "a bare $suite, before systemd runs"
older "$package" "$root/older.deb"
cp "$package" "$root/newer.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
# As in the builds of images: packages must not start or stop services.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
traces "$root" >"$work/before.txt"
apt update
apt install --no-install-recommends /older.deb
within dpkg-query --show --showformat='${Package} ${Version} ${Installed-Size} KB\n' atsgate
[ -z "$(find "$root/etc/systemd/system" -name '*atsgate*')" ] || fail "the service is enabled"
has etc/atsgate/atsgate.conf usr/share/bash-completion/completions/atsgate usr/share/zsh/vendor-completions/_atsgate \
    usr/share/fish/vendor_completions.d/atsgate.fish
# Systems made for images leave out manuals, as configured for dpkg.
grep -qs man "$root"/etc/dpkg/dpkg.cfg.d/* || has usr/share/man/man1/atsgate.1.gz usr/share/man/man1/atsgate-proxy.1.gz
use
apt purge atsgate
traces "$root" >"$work/after.txt"
diff "$work/before.txt" "$work/after.txt" || fail "traces are left without systemd"
apt install --no-install-recommends systemd systemd-sysv dbus
rm "$root/usr/sbin/policy-rc.d"
umount "$root/proc"

say "systemd starts"
# Control groups version 2 only, as on later systems.
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn --quiet --directory="$root" --register=no --keep-unit --private-network \
    --console=pipe --boot systemd.log_level=warning >"$work/console.txt" 2>&1 &
manager=$!
for _ in $(seq 600); do
    init=$(pgrep -P "$manager" -x systemd || true)
    case $([ -z "$init" ] || within systemctl is-system-running 2>/dev/null) in running | degraded) break ;; esac
    sleep 0.1
done
within systemctl --version | head -1

# load WORDS: sends a load that the gate must block, at the unit's address. Otherwise shows curl's exit code.
load() {
    local got
    got=$(nsenter --net --target "$init" curl -s -m 20 -o /dev/null -w '%{http_code} %header{x-atsgate-error} %{exitcode}' \
        -x http://127.0.0.1:9802 http://cleartext.example/) || true
    case $got in
        "403 NSURLErrorDomain -1022 0") ;;
        # The gate closed a waiting connection without an answer; the connection was not refused (7).
        *" 52" | *" 56") [ "${2-}" = again ] && echo "cut" >>"$work/cut" && load "$1" ;;
        *) fail "$1: the gate did not block: $got" ;;
    esac
}
recorded() { within env XDG_DATA_HOME=/var/lib atsgate recordings list --json | wc -l; }
pid() { within systemctl show --property=MainPID --value atsgate; }
# is UNIT STATE WORDS: waits for the state; a gate may answer a load before it has notified systemd.
is() {
    local state
    for _ in $(seq 100); do
        state=$(within systemctl is-active "atsgate.$1" || true)
        [ "$state" != "$2" ] || return 0
        sleep 0.1
    done
    fail "$3: atsgate.$1 is $state, not $2"
}

# during COMMAND...: sends loads one after the other while the command runs; all of them must be answered.
during() {
    local loads
    rm -f "$work/counted" "$work/over" "$work/cut"
    (
        until [ -e "$work/over" ]; do
            load "while: $*" again
            echo >>"$work/counted"
        done
    ) &
    loads=$!
    until [ -e "$work/counted" ]; do
        kill -0 "$loads" 2>/dev/null || fail "the first load while: $*"
        sleep 0.01
    done
    "$@"
    touch "$work/over"
    wait "$loads" || fail "loads while: $*"
    echo "$(wc -l <"$work/counted") loads while: $*; cut off: $(cat "$work/cut" 2>/dev/null | wc -l)"
}

say "install: neither enabled nor started"
apt install --no-install-recommends /older.deb
for kind in service socket; do
    [ "$(within systemctl is-enabled atsgate.$kind || true)" = disabled ] || fail "atsgate.$kind is not disabled"
    is $kind inactive install
done

say "start: it is ready when the command ends"
within systemctl start atsgate
load start
within systemctl show --property=StatusText,Type atsgate
within test -s /run/atsgate/web-url || fail "no address of the page in /run/atsgate/web-url"
within systemctl reload atsgate
load reload
[ "$(within systemctl show --property=WatchdogTimestampMonotonic --value atsgate)" -gt 0 ] || fail "it sends no watchdog notifications"
within systemctl stop atsgate
[ "$(recorded)" = 1 ] || fail "the store does not have one recording"
within systemd-analyze security --no-pager atsgate.service | tail -1

say "wrong options: the start fails, is not repeated, and shows the reason"
echo 'no-such-option = 1' >>"$root/etc/atsgate/atsgate.conf"
within systemctl start atsgate 2>/dev/null && fail "it started with wrong options"
[ "$(within systemctl show --property=ExecMainStatus,NRestarts --value atsgate | tr '\n' ' ')" = "0 64 " ] ||
    [ "$(within systemctl show --property=ExecMainStatus,NRestarts --value atsgate | tr '\n' ' ')" = "64 0 " ] ||
    fail "the exit code is not 64, or the start was repeated"
within journalctl --no-pager --unit atsgate --grep no-such-option --output cat | head -2
sed '$d' "$root/etc/atsgate/atsgate.conf" >"$work/conf"
cat "$work/conf" >"$root/etc/atsgate/atsgate.conf"
within systemctl reset-failed atsgate

say "socket activation: the first load starts it"
within systemctl enable --quiet --now atsgate.socket
is service inactive "before the first load"
load "the first load"
is service active "after it"

say "restart and upgrade while loads arrive: the address is always reachable"
before=$(pid)
during within systemctl restart atsgate
[ "$(pid)" != "$before" ] || fail "it was not restarted"
before=$(pid)
configure
during apt install --no-install-recommends /newer.deb
within dpkg-query --show atsgate
is socket active upgrade
load "after the upgrade"
[ "$(pid)" != "$before" ] || fail "the old program still runs after the upgrade"
configured
within systemctl stop atsgate.socket atsgate.service
[ "$(recorded)" -ge 4 ] || fail "the store has only $(recorded) recordings"

say "remove while it runs: configuration and store are kept"
within systemctl start atsgate.socket
load "before the removal"
apt remove atsgate
[ ! -e "$root/usr/bin/atsgate" ] || fail "the program was not removed"
configured
[ -n "$(find "$root"/var/lib/private/atsgate "$root"/var/lib/atsgate -name records.sqlite)" ] || fail "the store was removed"

say "purge"
apt purge atsgate
[ -z "$(within pgrep -x atsgate 2>/dev/null || true)" ] || fail "it still runs"
traces "$root" >"$work/after.txt"
diff "$work/before.txt" "$work/after.txt" || fail "traces are left"
[ -z "$(within systemctl list-units --all --plain --no-legend 'atsgate*')" ] || fail "units are left"
say "on $suite: installed, used, started, reached by its socket, upgraded, removed, purged"
