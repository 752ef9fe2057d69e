# shellcheck shell=bash disable=SC2034,SC2154
# Bare systems for package tests: Debian made by debootstrap. Sourced by scripts that run in the top folder of the
# repository, as root, with a network. They define `within`, which runs a command in their system, and the folders $work and
# $root of their files and of the system.

say() { printf '\n--- %s\n' "$*"; }

# Prints what is wrong, and the output of a script's function `aftermath` if it defines one.
fail() {
    echo "$(basename "$0"): $*" >&2
    if declare -F aftermath >/dev/null; then aftermath >&2 || true; fi
    exit 1
}

# The environment of commands in a bare system.
clean=(/usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
apt_get=(apt-get -qq -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold)

# quiet COMMAND...: shows its output only if it fails.
quiet() { "$@" >"$work/quiet.txt" 2>&1 || { cat "$work/quiet.txt" >&2 && fail "$*"; }; }
apt() { quiet within "${apt_get[@]}" "$@"; }

# bare SUITE [PACKAGES...]: makes the system in .build/roots once, and prints its path.
bare() {
    local suite=$1 place name
    shift
    name=$(printf '%s' "$suite" "${@/#/-}")
    place=$PWD/.build/roots/$name
    if [ ! -e "$place/.done" ]; then
        rm -rf "$place"
        mkdir -p "$(dirname "$place")"
        debootstrap --variant=minbase ${1+--include="$(IFS=,; echo "$*")"} "$suite" "$place" \
            >"$place.log" 2>&1 || { tail -n 5 "$place.log" >&2 && fail "debootstrap $suite"; }
        touch "$place/.done"
    fi
    echo "$place"
}

# older PACKAGE PLACE: the same program, called 0.0.1, to upgrade from.
older() {
    dpkg-deb --raw-extract "$1" "$work/older"
    sed 's/^Version:.*/Version: 0.0.1-1/' "$work/older/DEBIAN/control" >"$work/control"
    cp "$work/control" "$work/older/DEBIAN/control"
    dpkg-deb --build --root-owner-group -Znone "$work/older" "$2" >/dev/null
    rm -rf "$work/older"
}

# use: runs the installed program, also with an archive of an app, for which it loads libzip.
use() {
    within atsgate --version --verbose
    within atsgate explain http://example.com/ && fail "explain permits cleartext" || [ $? = 1 ]
    python3 -c '
import plistlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    facts = {"CFBundleIdentifier": "com.example.app", "NSAppTransportSecurity": {"NSAllowsArbitraryLoads": True}}
    archive.writestr("Payload/App.app/Info.plist", plistlib.dumps(facts))' "$root/App.ipa"
    within atsgate explain --policy /App.ipa http://example.com/ || fail "an archive cannot be read"
    rm "$root/App.ipa"
}

# has FILE...: the system has these files.
has() {
    local file
    for file in "$@"; do [ -e "$root/$file" ] || fail "there is no /$file"; done
}

# The line of an administrator in the configuration, which no package may overwrite.
configure() { echo "# by the administrator" >>"$root/etc/atsgate/atsgate.conf"; }
configured() { grep -q "by the administrator" "$root/etc/atsgate/atsgate.conf" || fail "the configuration was overwritten"; }

# traces ROOT: lists files of atsgate, except for the system's own package data and log.
traces() {
    (cd "$1" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./var/lib/dpkg -o -path ./var/log \) -prune \
        -o -path '*atsgate*' -print | sort)
}
