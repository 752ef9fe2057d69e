#!/usr/bin/env bash
# Makes what is handed out: .build/dist/atsgate, optimised, stripped, without the Swift runtime to install. On Linux it is
# then held against .ci/linkage.sh.
#
# Nothing is compiled for this that tests do not use, too: only the linking differs, as Package.swift tells. The option
# --static-swift-stdlib is told to the compiler as well (Swift 6.3), so that each build after the other was a whole one.
#
# What is built depends on sources, compiler and libraries alone: .ci/reproducible.sh compares two folders. COMMIT names
# the commit where there is no repository, as in an image.
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
export BUILT_FROM=${COMMIT:-} BUILT_BY
BUILT_BY=$(swift --version 2>/dev/null | sed -n 's/.*\(Swift version [^)]*)\).*/\1/p' | head -1)

options=(-c release --product atsgate)
if [ "$(uname -s)" = Linux ]; then
    # Else the program would look for libraries beside itself.
    options+=(--disable-local-rpath)
    HANDED_OUT=$(.ci/icu.py .build/icu)
    export HANDED_OUT
fi
swift build "${options[@]}"
mkdir -p .build/dist
cp "$(swift build -c release --show-bin-path)/atsgate" .build/dist/atsgate
if [ "$(uname -s)" = Linux ]; then
    # That section has hashes of modules, which differ from folder to folder, and which nothing reads. By the toolchain's
    # own tool: strip of binutils 2.40 loses the segment that is to be read-only when a section before it goes.
    tools=$(python3 -c 'import os, shutil; print(os.path.dirname(os.path.realpath(shutil.which("swiftc"))))')
    "$tools/llvm-objcopy" --strip-all --remove-section=.swift_modhash .build/dist/atsgate
    .ci/linkage.sh .build/dist/atsgate
    .ci/icu.py --in .build/dist/atsgate
else
    strip .build/dist/atsgate
    codesign --force --sign - .build/dist/atsgate
fi
ls -l .build/dist/atsgate
