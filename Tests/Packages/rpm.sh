#!/usr/bin/env bash
# Installs, uses, upgrades and removes the .rpm, with rpm's dependency checks. The test runs in a Debian 13 tree, whose
# libraries have the same names as Fedora's. rpm's database starts with one package, which provides what the libraries
# in the tree provide. So the test shows that the package is complete, that rpm accepts it, and that the program runs
# with such libraries. It does not show that Fedora's own packages have these names. Needs root and a network.
#
#   Tests/Packages/rpm.sh PACKAGE.rpm
#
# Exit: 0, or 1 with the first problem.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/Packages/bare.sh
. Tests/Packages/bare.sh

trap 'fail "line $LINENO"' ERR
package=$(realpath "$1")
bare=$(bare trixie ca-certificates libnghttp2-14 libqrencode4 libsqlite3-0 libssl3t64 libstdc++6 libxml2 libzip5)
work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-rpm.XXXXXX")
root=$work/root
clean_up() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
cp -a "$bare" "$root"
mount -t proc proc "$root/proc"
within() { chroot "$root" "${clean[@]}" "$@"; }
rpm() { command rpm --root "$root" --dbpath /var/lib/rpm "$@"; }

say "a package with what the tree provides"
{
    printf 'Name: libraries\nVersion: 1\nRelease: 1\nSummary: Libraries\nLicense: none\nBuildArch: noarch\n'
    printf 'Provides: ca-certificates\nProvides: /bin/sh\nProvides: rtld(GNU_HASH)\n'
    find "$root"/usr/lib -name '*.so*' -type f -print | /usr/lib/rpm/elfdeps --provides | sort -u | sed 's/^/Provides: /'
    printf '%%description\nThe libraries in the tree.\n%%files\n'
} >"$work/libraries.spec"
quiet rpmbuild -bb --define "_topdir $work/top" "$work/libraries.spec"
rpm --install "$work"/top/RPMS/noarch/libraries-1-1.noarch.rpm
traces "$root" >"$work/before.txt"

say "install an older version: the same files, called 0.0.1"
stage=.build/packages/rpm-stage
[ -d $stage ] || fail "$stage does not exist: run .ci/packages.sh"
sed 's/^%global _binary_payload.*/%global _binary_payload w1.gzdio/; s/ - [0-9.]*-1$/ - 0.0.1-1/' .build/packages/atsgate.spec >"$work/older.spec"
quiet rpmbuild -bb --define "version 0.0.1" --define "stage $PWD/$stage" --define "_topdir $work/older" "$work/older.spec"
rpm --install "$work"/older/RPMS/*/*.rpm
rpm --query atsgate
[ -z "$(find "$root/etc/systemd/system" -name '*atsgate*')" ] || fail "the service is enabled"

say "use"
use

say "upgrade, with a changed configuration"
configure
rpm --upgrade "$package"
rpm --query atsgate
configured
# All other files are as in the package.
changed=$(rpm --verify atsgate || true)
echo "$changed"
[ "$(grep -vc ' c /etc/atsgate/atsgate.conf$' <<<"$changed")" = 0 ] || fail "files differ from the package"

say "remove: the changed configuration is kept as .rpmsave"
rpm --erase atsgate
rm "$root/etc/atsgate/atsgate.conf.rpmsave"
rmdir "$root/etc/atsgate" 2>/dev/null || true
traces "$root" >"$work/after.txt"
diff "$work/before.txt" "$work/after.txt" || fail "traces are left"
say "installed, used, upgraded and removed by $(command rpm --version)"
