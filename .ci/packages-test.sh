#!/usr/bin/env bash
# Installs the .deb on a bare Debian, uses it, upgrades to it from an older version, removes and purges it. Needs root
# and a network, because dependencies come from Debian.
#
#   .ci/packages-test.sh PACKAGE.deb [bookworm|trixie|...]
#
# Works on a copy of the bare system. systemd does not run in it, so the service is started by hand, with the command,
# user, folders and variables of its unit. .ci/service-test.sh tests with systemd.
# Exit: 0, or 1 with the first problem.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

# shellcheck source=.ci/bare.sh
. .ci/bare.sh

package=$(realpath "$1")
suite=${2:-bookworm}
bare=$(bare "$suite")
work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-packages.XXXXXX")
root=$work/root
gate=
clean_up() {
    [ -z "$gate" ] || kill "$gate" 2>/dev/null || true
    umount "$root/proc" "$root/dev" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
cp -a "$bare" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# As in image builds: packages must not start or stop services here.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"

within() { chroot "$root" "${clean[@]}" "$@"; }

# Starts a gate as the unit does, and sends one load that it blocks.
serve() {
    local command port=$work/port
    command=$(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/atsgate.service" "$root/lib/systemd/system/atsgate.service" 2>/dev/null | head -1)
    within install -d -m 700 -o nobody -g nogroup /var/lib/atsgate /run/atsgate
    # shellcheck disable=SC2086  # one word per word is meant
    chroot --userspec=nobody:nogroup "$root" /usr/bin/env -i PATH=/usr/bin:/bin XDG_DATA_HOME=/var/lib \
        $command --listen 127.0.0.1:0 --web 127.0.0.1:0 --port-file /run/atsgate/port >"$work/gate.txt" 2>&1 &
    gate=$!
    for _ in $(seq 200); do [ -s "$root/run/atsgate/port" ] && break || sleep 0.05; done
    port=$(head -1 "$root/run/atsgate/port")
    local status
    status=$(curl -s -o /dev/null -w '%{http_code} %header{x-atsgate-error}' -x "http://127.0.0.1:$port" http://cleartext.example/) || true
    echo "$status"
    [ -s "$root/run/atsgate/web-url" ] || fail "no address of the page in /run/atsgate/web-url"
    kill "$gate" && wait "$gate" || true
    gate=
    rm -f "$root/run/atsgate/port"
    case $status in "403 NSURLErrorDomain -1022") ;; *) cat "$work/gate.txt" >&2 && fail "the gate did not block: $status" ;; esac
}
recorded() { chroot --userspec=nobody:nogroup "$root" /usr/bin/env XDG_DATA_HOME=/var/lib atsgate recordings list --json | wc -l; }

say "an older version: the same program, called 0.0.1"
older "$package" "$root/older.deb"
cp "$package" "$root/newer.deb"
traces "$root" >"$work/before.txt"

say "install"
apt update
begun=$(date +%s)
apt install --no-install-recommends /older.deb
echo "$(($(date +%s) - begun)) s; version $(within atsgate --version)"
within dpkg-query --show --showformat='${Package} ${Version} ${Installed-Size} KB\n' atsgate
[ -z "$(find "$root/etc/systemd/system" -name '*atsgate*')" ] || fail "the service is enabled"
for file in usr/share/man/man1/atsgate.1.gz usr/share/man/man1/atsgate-proxy.1.gz etc/atsgate/atsgate.conf \
    usr/share/bash-completion/completions/atsgate usr/share/zsh/vendor-completions/_atsgate \
    usr/share/fish/vendor_completions.d/atsgate.fish; do
    # Systems made for images leave out manuals, as configured for dpkg.
    [ -e "$root/$file" ] || grep -qs man "$root"/etc/dpkg/dpkg.cfg.d/* || fail "there is no /$file"
done

say "use"
within atsgate --version --verbose
within atsgate explain http://example.com/ && fail "explain permits cleartext" || [ $? = 1 ]
# Reading an app archive loads libzip, which is loaded on demand.
app "$root/App.ipa"
within atsgate explain --policy /App.ipa http://example.com/ || fail "an archive cannot be read"
serve
[ "$(recorded)" = 1 ] || fail "the store does not have one recording"

say "upgrade, with a store and a changed configuration"
echo "# by the administrator" >>"$root/etc/atsgate/atsgate.conf"
apt install --no-install-recommends /newer.deb
within dpkg-query --show atsgate
grep -q "by the administrator" "$root/etc/atsgate/atsgate.conf" || fail "the configuration was overwritten"
[ "$(recorded)" = 1 ] || fail "the store lost its recording"
serve
[ "$(recorded)" = 2 ] || fail "the store does not have two recordings"

say "remove: configuration and store are kept"
apt remove atsgate
[ ! -e "$root/usr/bin/atsgate" ] || fail "the program was not removed"
[ -e "$root/var/lib/atsgate/records.sqlite" ] && [ -e "$root/etc/atsgate/atsgate.conf" ] || fail "store or configuration was removed"

say "purge"
apt purge atsgate
rm -rf "$root/run/atsgate"
traces "$root" >"$work/after.txt"
diff "$work/before.txt" "$work/after.txt" || fail "traces are left"
say "installed, used, upgraded, removed and purged on $suite"
