#!/usr/bin/env bash
# Writes the formula for Homebrew: .build/dist/atsgate.rb, with the address and the digest of the source archive that it
# builds, and that archive itself, .build/dist/atsgate-VERSION-source.tar.gz. Does nothing if
# config/packages/project.env has no address of the project.
#
#   .ci/formula.sh
#   .ci/formula.sh --published    also downloads from the address and compares the digest
#
# Exit: 0, or 1 if Ruby cannot read the formula, a placeholder was not filled in, the download differs, or there is no
# address to download from.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."
# shellcheck source=config/packages/project.env
. config/packages/project.env

fail() {
    echo "formula: $*" >&2
    exit 1
}

rm -f .build/dist/atsgate.rb .build/dist/atsgate-*-source.tar.gz
if [ -z "$HOMEPAGE" ]; then
    [ "${1-}" != --published ] || fail "nothing is published: config/packages/project.env has no HOMEPAGE"
    echo "formula: not made, since config/packages/project.env has no HOMEPAGE"
    exit 0
fi
version=$(sed -n 's/^let toolVersion = "\(.*\)"$/\1/p' Sources/atsgate/Places/ToolVersion.swift)
[ -n "$version" ] || fail "no version in Sources/atsgate/Places/ToolVersion.swift"
dist=.build/dist
mkdir -p "$dist"
source=$dist/atsgate-$version-source.tar.gz
# git makes the same bits for a commit each time; gzip would add the time unless -n is given.
git archive --format=tar --prefix="atsgate-$version/" HEAD | gzip -9n >"$source"

DIGEST=$(sha256sum "$source" 2>/dev/null || shasum -a 256 "$source")
export HOMEPAGE DIGEST=${DIGEST%% *} EPOCH URL=$HOMEPAGE/releases/download/v$version/atsgate-$version-source.tar.gz
EPOCH=$(git log -1 --format=%ct)
python3 -c '
import os, re, sys
print(re.sub(r"@([A-Z]+)@", lambda name: os.environ[name.group(1)], sys.stdin.read()), end="")' \
    <config/packages/atsgate.rb >"$dist/atsgate.rb"
# Some checks of `brew audit` that need no Homebrew.
! grep -nE '@[A-Z]+@' "$dist/atsgate.rb" || fail "a placeholder was not filled in"
if command -v ruby >/dev/null; then ruby -c "$dist/atsgate.rb" >/dev/null || fail "Ruby cannot read it"; fi
description=$(sed -n 's/^  desc "\(.*\)"$/\1/p' "$dist/atsgate.rb")
[ ${#description} -le 80 ] || fail "the description has ${#description} characters, more than 80"
case $description in
    [Aa]" "* | [Tt]he" "* | *.) fail "the description begins with an article or ends with a full stop" ;;
esac
awk 'length > 118 { print FILENAME ":" FNR ": too long"; long = 1 } END { exit long }' "$dist/atsgate.rb" || exit 1
if [ "${1-}" = --published ]; then
    given=$(curl -fsSL "$URL" | sha256sum) || fail "$URL gives nothing"
    [ "${given%% *}" = "$DIGEST" ] || fail "$URL has the digest ${given%% *}, but the formula has $DIGEST"
fi
echo "$dist/atsgate.rb builds $URL, $DIGEST"
