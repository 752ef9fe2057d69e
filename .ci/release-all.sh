#!/usr/bin/env bash
# Makes a release up to the upload. Called by .github/workflows/release.yml, and works the same locally.
#
#   .ci/release-all.sh                 everything that can be made on this system, in .build/dist
#   .ci/release-all.sh --collect DIR   the results of several systems in one folder: adds SHA256SUMS, and the notes
#
# The version is in Sources/atsgate/Places/ToolVersion.swift only; a tag, if there is one, must match.
# Exit: 0, or that of the first failed step.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

say() { printf '\n=== %s\n' "$*"; }
fail() {
    echo "release: $*" >&2
    exit 1
}

version=$(sed -n 's/^let toolVersion = "\(.*\)"$/\1/p' Sources/atsgate/Places/ToolVersion.swift)
case ${GITHUB_REF-} in
    refs/tags/*)
        [ "$GITHUB_REF" = "refs/tags/v$version" ] || fail "the tag is $GITHUB_REF, but the version is $version"
        ;;
esac
sums() {
    (cd "$1" && find . -type f ! -name 'SHA256SUMS*' ! -name '*.sha256' -print | sed 's|^\./||' | LC_ALL=C sort |
        while read -r file; do sha256sum "$file" 2>/dev/null || shasum -a 256 "$file"; done) >"$1/SHA256SUMS.new"
    mv "$1/SHA256SUMS.new" "$1/SHA256SUMS"
    cat "$1/SHA256SUMS"
}
# changes FOLDER: writes the version's part of CHANGELOG.md.
changes() {
    awk -v version="$version" '/^## / { isIt = $2 == version } isIt' CHANGELOG.md >"$1/CHANGES-$version.md"
    [ -s "$1/CHANGES-$version.md" ] || fail "CHANGELOG.md has no section ## $version"
}
if [ "${1-}" = --collect ]; then
    changes "$2"
    sums "$2"
    exit 0
fi

say "the program of atsgate $version"
rm -rf .build/dist
make --no-print-directory release
built=$(.build/dist/atsgate --version)
[ "$built" = "$version" ] || fail "the program reports version $built"
.build/dist/atsgate --version --verbose

if [ "$(uname -s)" != Linux ]; then
    .ci/packages.sh archive
    sums .build/dist
    exit 0
fi

say "packages, checked by each system's rules"
make --no-print-directory packages
say "the SBOM, checked by its reader"
PYTHONPATH=.build/spdx python3 -m spdx_tools.spdx.clitools.pyspdxtools --infile .build/dist/*.spdx.json
say "installed, used, upgraded, removed"
if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
    make --no-print-directory packages-test
else
    fail "bare systems need root and mounts: run this as root"
fi
say "the site"
make --no-print-directory site
.ci/packages.sh pack .build/site/html "$PWD/.build/dist/atsgate-$version-site.tar.gz"
say "what changed"
changes .build/dist
cp THIRD-PARTY.md .build/dist/
say "SHA256SUMS"
sums .build/dist
