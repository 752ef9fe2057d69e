#!/usr/bin/env bash
# Makes packages of .build/dist/atsgate, the result of `make release`: an archive, and on Linux a .deb and an .rpm, with
# manual, completions, licences, an SBOM and a service that is not enabled; and a formula for Homebrew with the source
# archive that it builds, if config/packages/project.env has the address of the project.
#
#   .ci/install.sh packages && make release && .ci/packages.sh
#   .ci/packages.sh archive      only the archive, as on a Mac
#   .ci/packages.sh published    compares the source archive at the formula's address with the formula
#   .ci/packages.sh pack FOLDER FILE    packs FOLDER as FILE, which ends with .tar.xz or .tar.gz
#
# The results are in .build/dist. The same program and commit give the same bits. A package works on the release of the
# system that it was made on and on later ones, if their libraries have the same names: one made on Debian 12 runs on
# Debian 13, and one made on Debian runs on Fedora (libzip has different names and is loaded by either).
# Exit: 0, or 1 if a package breaks a rule of its system, or the published source differs.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."
# shellcheck source=config/packages/project.env
. config/packages/project.env

say() { printf 'packages: %s\n' "$*" >&2; }
stop() {
    say "$*"
    exit 1
}

dist=$PWD/.build/dist
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

# pack FOLDER FILE: sorted, without owners, with the commit's time. Source: reproducible-builds.org, "Archive metadata". On
# a Mac, whose tar cannot do all of that, the program's signature differs anyway.
pack() {
    local same=(--uid 0 --gid 0)
    if [ "$(uname -s)" = Linux ]; then
        same=(--sort=name --owner=0 --group=0 --numeric-owner "--mtime=@$SOURCE_DATE_EPOCH" "--mode=u+rw,go=u-w")
    fi
    tar -C "$(dirname "$1")" "${same[@]}" -caf "$2" "$(basename "$1")"
    (cd "$(dirname "$2")" && { sha256sum "${2##*/}" 2>/dev/null || shasum -a 256 "${2##*/}"; }) | tee "$2.sha256"
}
if [ "${1-}" = pack ]; then
    pack "$2" "$3"
    exit
fi

# fill FILE: a file of config/packages with its @NAMES@ replaced. A line whose value is unknown is left out, such as the
# address of a project without one.
fill() {
    MAINTAINER=$MAINTAINER HOMEPAGE=$HOMEPAGE python3 -c '
import os, re, sys
for line in sys.stdin:
    names = re.findall(r"@([A-Z]+)@", line)
    if all(os.environ[name] for name in names):
        print(re.sub(r"@([A-Z]+)@", lambda name: os.environ[name.group(1)], line), end="")' <"$1"
}

# The formula is in .build/dist/atsgate.rb, and the source archive in .build/dist/atsgate-VERSION-source.tar.gz.
formula() {
    rm -f "$dist"/atsgate.rb "$dist"/atsgate-*-source.tar.gz
    if [ -z "$HOMEPAGE" ]; then
        [ "${1-}" != published ] || stop "nothing is published: config/packages/project.env has no HOMEPAGE"
        say "no formula, since config/packages/project.env has no HOMEPAGE"
        return
    fi
    local version source
    version=$(sed -n 's/^let toolVersion = "\(.*\)"$/\1/p' Sources/atsgate/Places/ToolVersion.swift)
    [ -n "$version" ] || stop "no version in Sources/atsgate/Places/ToolVersion.swift"
    source=$dist/atsgate-$version-source.tar.gz
    mkdir -p "$dist"
    # git makes the same bits for a commit each time; gzip would add the time unless -n is given.
    git archive --format=tar --prefix="atsgate-$version/" HEAD | gzip -9n >"$source"
    DIGEST=$(sha256sum "$source" 2>/dev/null || shasum -a 256 "$source")
    export DIGEST=${DIGEST%% *} EPOCH=$SOURCE_DATE_EPOCH
    export URL=$HOMEPAGE/releases/download/v$version/atsgate-$version-source.tar.gz
    fill config/packages/atsgate.rb >"$dist/atsgate.rb"
    if command -v ruby >/dev/null; then ruby -c "$dist/atsgate.rb" >/dev/null || stop "Ruby cannot read the formula"; fi
    if [ "${1-}" = published ]; then
        local digest
        digest=$(curl -fsSL "$URL" | sha256sum) || stop "$URL cannot be downloaded"
        [ "${digest%% *}" = "$DIGEST" ] || stop "$URL has the digest ${digest%% *}, but the formula has $DIGEST"
    fi
    say "$dist/atsgate.rb builds $URL, $DIGEST"
}
if [ "${1-}" = published ]; then
    formula published
    exit
fi

program=$dist/atsgate
[ -x "$program" ] || stop "$program does not exist: run make release"
version=$("$program" --version)
system=$(uname -s | tr '[:upper:]' '[:lower:]')
work=$PWD/.build/packages
rm -rf "$work"
mkdir -p "$work/stage"

# lay MODE FILE PLACE: adds a file to the package.
lay() { install -D -m "$1" "$2" "$work/stage/$3"; }

say "manual and completions of atsgate $version"
site/manual.py "$program" "$work/man" >&2
mkdir "$work/completions"
for shell in bash zsh fish; do
    # Without the line that makes it an executable script: shells source these files.
    "$program" --generate-completion-script $shell | sed '1{/^#!/d;}' >"$work/completions/$shell"
done
sbom=$dist/atsgate-$version-$system-$(uname -m).spdx.json
.ci/dependencies.py --sbom "$program" >"$sbom"

# The archive is for Macs and for systems without packages of ours.
say "archive"
name=atsgate-$version-$system-$(uname -m)
mkdir "$work/$name"
cp -R "$program" LICENSE THIRD-PARTY.md README.md CHANGELOG.md SECURITY.md config docs "$work/completions" "$work/man" \
    "$sbom" "$work/$name"
rm -rf "$work/$name/config/packages"
pack "$work/$name" "$dist/$name.tar.xz"
[ "${1-}" != archive ] || exit 0
formula
[ "$system" = linux ] || exit 0

lay 755 "$program" usr/bin/atsgate
for kind in service socket; do lay 644 config/packages/atsgate.$kind usr/lib/systemd/system/atsgate.$kind; done
lay 644 config/atsgate.conf etc/atsgate/atsgate.conf
lay 644 "$work/completions/bash" usr/share/bash-completion/completions/atsgate
lay 644 "$work/completions/fish" usr/share/fish/vendor_completions.d/atsgate.fish
for file in README.md SECURITY.md; do lay 644 $file usr/share/doc/atsgate/$file; done
lay 644 "$sbom" usr/share/doc/atsgate/atsgate.spdx.json
for file in config/dictionaries/*; do lay 644 "$file" "usr/share/doc/atsgate/examples/$(basename "$file")"; done

deb() {
    local folder=$work/atsgate-$version
    mkdir "$folder"
    cp -a "$work/stage" "$folder/stage"
    install -D -m 644 THIRD-PARTY.md "$folder/stage/usr/share/doc/atsgate/THIRD-PARTY.md"
    install -D -m 644 "$work/completions/zsh" "$folder/stage/usr/share/zsh/vendor-completions/_atsgate"
    cp -a config/packages/debian "$folder/debian"
    local file
    for file in control copyright; do fill config/packages/debian/$file >"$folder/debian/$file"; done
    chmod 755 "$folder/debian/rules"
    cp CHANGELOG.md "$folder/CHANGELOG.md"
    mv "$folder"/stage/usr/lib/systemd/system/atsgate.* "$folder/debian/"
    cp -a "$work/man" "$folder/man"
    (cd "$folder" && printf '%s\n' man/*.1) >"$folder/debian/manpages"
    printf 'atsgate (%s-1) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' \
        "$version" "$MAINTAINER" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" >"$folder/debian/changelog"
    (cd "$folder" && dpkg-buildpackage --build=binary --no-sign >"$work/deb.txt" 2>&1) ||
        { cat "$work/deb.txt" >&2 && exit 1; }
    local package
    package=$(basename "$work"/atsgate_*.deb)
    cp "$work/$package" "$dist/$package"
    # Errors only: warnings about a program that includes its own runtime cannot be fixed.
    lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs "$dist/$package" >&2 ||
        stop "lintian found errors in $package"
}

rpm() {
    local stage=$work/rpm-stage top=$work/rpm
    cp -a "$work/stage" "$stage"
    install -D -m 644 "$work/completions/zsh" "$stage/usr/share/zsh/site-functions/_atsgate"
    local file
    for file in LICENSE THIRD-PARTY.md; do install -D -m 644 $file "$stage/usr/share/licenses/atsgate/$file"; done
    install -m 644 CHANGELOG.md "$stage/usr/share/doc/atsgate/CHANGELOG.md"
    mkdir -p "$stage/usr/share/man/man1" "$top"
    for file in "$work"/man/*.1; do gzip -9n <"$file" >"$stage/usr/share/man/man1/$(basename "$file").gz"; done
    export CHANGELOG
    CHANGELOG="* $(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%a %b %d %Y') $MAINTAINER - $version-1
- See CHANGELOG.md."
    fill config/packages/atsgate.spec >"$work/atsgate.spec"
    rpmbuild -bb --define "version $version" --define "stage $stage" --define "_topdir $top" "$work/atsgate.spec" \
        >"$work/rpm.txt" 2>&1 || { cat "$work/rpm.txt" >&2 && exit 1; }
    local package
    package=$(basename "$top"/RPMS/*/atsgate-*.rpm)
    cp "$top"/RPMS/*/"$package" "$dist/$package"
    rpmlint --config config/packages/rpmlint.toml "$dist/$package" >"$work/rpmlint.txt" 2>&1 ||
        { cat "$work/rpmlint.txt" >&2 && stop "rpmlint found errors in $package"; }
    tail -n 2 "$work/rpmlint.txt" >&2
}

unit() {
    # The threshold 15 means 1.5 of 10: the service is restricted as much as possible.
    systemd-analyze security --offline=yes --threshold=15 config/packages/atsgate.service >"$work/unit.txt" ||
        { cat "$work/unit.txt" >&2 && stop "the service may do more than it needs"; }
    tail -n 1 "$work/unit.txt" >&2
    # The program in the units is not installed here.
    SYSTEMD_UNIT_PATH=$PWD/config/packages: systemd-analyze verify --man=no --recursive-errors=no \
        config/packages/atsgate.{service,socket} 2>&1 | grep -v 'Command /usr/bin/atsgate is not executable' \
        >"$work/verify.txt" || true
    [ ! -s "$work/verify.txt" ] || { cat "$work/verify.txt" >&2 && stop "systemd rejects the units"; }
}

unit
say "deb" && deb
say "rpm" && rpm
ls -l "$dist" >&2
