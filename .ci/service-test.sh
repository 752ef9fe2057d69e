#!/usr/bin/env bash
# Installs the .deb on a bare Debian that systemd has started, and uses the service: started by hand and by its socket,
# started again and upgraded while clients come, with options that are wrong, and purged. As root, by systemd-nspawn, with
# a network until the system has started.
#
#   .ci/service-test.sh PACKAGE.deb [bookworm|trixie|...]
#
# Exit: 0, or 1 with what is otherwise than it should be.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."
# shellcheck source=.ci/bare.sh
. .ci/bare.sh

aftermath() { [ -z "$init" ] || within journalctl --no-pager --lines 30; }
trap 'fail "line $LINENO"' ERR
init=
manager=
package=$(realpath "$1")
suite=${2:-bookworm}
bare=$(bare "$suite" systemd systemd-sysv dbus)
work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-service.XXXXXX")
root=$work/root
clean_up() {
    # Its own way to end at once; what runs in it ends with its first process.
    [ -z "$init" ] || kill -KILL "$init" 2>/dev/null || true
    [ -z "$manager" ] || wait "$manager" 2>/dev/null || true
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
cp -a "$bare" "$root"

within() { nsenter --all --target "$init" "${clean[@]}" "$@"; }

say "a bare $suite with what the package depends on, and its systemd"
older "$package" "$root/older.deb"
cp "$package" "$root/newer.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
for step in update "install --no-install-recommends /older.deb" "purge atsgate"; do
    # shellcheck disable=SC2086  # one word per word is meant
    quiet chroot "$root" "${clean[@]}" "${apt_get[@]}" $step
done
umount "$root/proc"
traces "$root" >"$work/before.txt"
# The second version of control groups alone, which is all that later systems know.
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn --quiet --directory="$root" --register=no --keep-unit --private-network \
    --console=pipe --boot systemd.log_level=warning >"$work/console.txt" 2>&1 &
manager=$!
for _ in $(seq 600); do
    init=$(pgrep -P "$manager" -x systemd || true)
    case $([ -z "$init" ] || within systemctl is-system-running 2>/dev/null) in running | degraded) break ;; esac
    sleep 0.1
done
within systemctl --version | head -1

# load WORDS: the gate refuses a load, as the unit's address has it. curl's own code is told where it does not.
load() {
    local got
    got=$(nsenter --net --target "$init" curl -s -m 20 -o /dev/null -w '%{http_code} %header{x-atsgate-error} %{exitcode}' \
        -x http://127.0.0.1:9802 http://cleartext.example/) || true
    case $got in
        "403 NSURLErrorDomain -1022 0") ;;
        # The connection was there, and had said nothing when the gate closed those that wait; not refused (7).
        *" 52" | *" 56") [ "${2-}" = again ] && echo "cut" >>"$work/cut" && load "$1" ;;
        *) fail "$1: the gate did not refuse: $got" ;;
    esac
}
recorded() { within env XDG_DATA_HOME=/var/lib atsgate recordings list --json | wc -l; }
pid() { within systemctl show --property=MainPID --value atsgate; }
# is UNIT STATE WORDS: it comes to be so; a load that a gate answers may come before what the gate tells systemd.
is() {
    local state
    for _ in $(seq 100); do
        state=$(within systemctl is-active "atsgate.$1" || true)
        [ "$state" != "$2" ] || return 0
        sleep 0.1
    done
    fail "$3: atsgate.$1 is $state, not $2"
}

# during COMMAND...: loads that come from before it until after it, one after the other; all of them are answered.
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
[ "$(within systemctl show --property=WatchdogTimestampMonotonic --value atsgate)" -gt 0 ] || fail "it does not say that it is alive"
within systemctl stop atsgate
[ "$(recorded)" = 1 ] || fail "the store has not one recording"
within systemd-analyze security --no-pager atsgate.service | tail -1

say "options that are wrong: the start fails, is not tried again, and says why"
echo 'no-such-option = 1' >>"$root/etc/atsgate/atsgate.conf"
within systemctl start atsgate 2>/dev/null && fail "it started with options that are wrong"
[ "$(within systemctl show --property=ExecMainStatus,NRestarts --value atsgate | tr '\n' ' ')" = "0 64 " ] ||
    [ "$(within systemctl show --property=ExecMainStatus,NRestarts --value atsgate | tr '\n' ' ')" = "64 0 " ] ||
    fail "not 64, or tried again"
within journalctl --no-pager --unit atsgate --grep no-such-option --output cat | head -2
sed '$d' "$root/etc/atsgate/atsgate.conf" >"$work/conf"
cat "$work/conf" >"$root/etc/atsgate/atsgate.conf"
within systemctl reset-failed atsgate

say "by its socket: the first load starts it"
within systemctl enable --quiet --now atsgate.socket
is service inactive "before the first load"
load "the first load"
is service active "after it"

say "started again, and upgraded, while loads come: the address is always there"
before=$(pid)
during within systemctl restart atsgate
[ "$(pid)" != "$before" ] || fail "it was not started again"
before=$(pid)
echo "# by the administrator" >>"$root/etc/atsgate/atsgate.conf"
during apt install --no-install-recommends /newer.deb
within dpkg-query --show atsgate
is socket active upgrade
load "after the upgrade"
[ "$(pid)" != "$before" ] || fail "the old program still runs after the upgrade"
grep -q "by the administrator" "$root/etc/atsgate/atsgate.conf" || fail "the configuration was overwritten"
within systemctl stop atsgate.socket atsgate.service
[ "$(recorded)" -ge 4 ] || fail "the store has only $(recorded) recordings"

say "purge, while it runs"
within systemctl start atsgate.socket
load "before the purge"
apt purge atsgate
[ -z "$(within pgrep -x atsgate 2>/dev/null || true)" ] || fail "it still runs"
traces "$root" >"$work/after.txt"
diff "$work/before.txt" "$work/after.txt" || fail "traces are left"
[ -z "$(within systemctl list-units --all --plain --no-legend 'atsgate*')" ] || fail "units are left"
say "a service on $suite: started, reached by its socket, upgraded, purged"
