#!/usr/bin/env bash
# Makes the released program: .build/dist/atsgate, optimised, stripped, with the Swift runtime linked in. On Linux it is
# then checked by .ci/linkage.sh.
#
# Tests use the same modules: only the linking differs, through object files that Package.swift names. The option
# --static-swift-stdlib is also passed to the compiler (Swift 6.3), so alternating builds would each be complete ones.
#
# The build depends on sources, compiler and libraries only: .ci/reproducible.sh compares two folders. COMMIT is the
# commit if there is no repository, as in an image.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

# shellcheck source=config/packages/project.env
. config/packages/project.env
export PAGES
if [ -z "${COMMIT-}" ] && COMMIT=$(git rev-parse --short=12 HEAD 2>/dev/null); then
    COMMIT="$COMMIT of $(TZ=UTC git log -1 --date=format-local:%Y-%m-%d --format=%cd)"
    git diff --quiet HEAD 2>/dev/null || COMMIT="$COMMIT, with changes"
fi
compiler=$(swift --version 2>/dev/null | sed -n 's/.*\(Swift version [^)]*)\).*/\1/p' | head -1)
tools=$(python3 -c 'import os, shutil; print(os.path.dirname(os.path.realpath(shutil.which("swiftc"))))')

# An object file replaces the one of Sources/CVersions. Its name changes with its content, so that the package manager
# links again.
identity="const char *version_commit(void) { return \"${COMMIT-}\"; }
const char *version_compiler(void) { return \"$compiler\"; }"
BUILT_FROM=$PWD/.build/origin/$(cksum <<<"$identity" | cut -d ' ' -f 1).o
export BUILT_FROM
mkdir -p .build/origin
if [ "$(uname -s)" = Linux ]; then clang=$tools/clang; else clang=clang; fi
"$clang" -x c -c -o "$BUILT_FROM" - <<<"$identity"

options=(-c release --product atsgate)
if [ "$(uname -s)" = Linux ]; then
    # Otherwise the program would look for libraries in its own folder.
    options+=(--disable-local-rpath)
    export RELEASE_LINKING=1
fi
swift build "${options[@]}"
mkdir -p .build/dist
cp "$(swift build -c release --show-bin-path)/atsgate" .build/dist/atsgate
if [ "$(uname -s)" = Linux ]; then
    # This section has hashes of modules, which differ between folders and which nothing reads. Uses the toolchain's own
    # tool: strip of binutils 2.40 loses the RELRO segment when a section before it is removed.
    "$tools/llvm-objcopy" --strip-all --remove-section=.swift_modhash .build/dist/atsgate
    .ci/linkage.sh .build/dist/atsgate
else
    strip .build/dist/atsgate
    codesign --force --sign - .build/dist/atsgate
fi
ls -l .build/dist/atsgate
