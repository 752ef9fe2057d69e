#!/usr/bin/env bash
# Makes what is handed out: .build/dist/atsgate, optimised, stripped, without the Swift runtime to install. On Linux it is
# then held against .ci/linkage.sh.
#
# Nothing is compiled for this that tests do not use, too: only the linking differs, as Package.swift tells. The option
# --static-swift-stdlib is told to the compiler as well (Swift 6.3), so that each build after the other was a whole one.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

options=(-c release --product atsgate)
# Else the program would look for libraries beside itself.
if [ "$(uname -s)" = Linux ]; then options+=(--disable-local-rpath); fi
HANDED_OUT=1 swift build "${options[@]}"
mkdir -p .build/dist
cp "$(swift build -c release --show-bin-path)/atsgate" .build/dist/atsgate
strip .build/dist/atsgate
if [ "$(uname -s)" = Linux ]; then
    .ci/linkage.sh .build/dist/atsgate
else
    codesign --force --sign - .build/dist/atsgate
fi
ls -l .build/dist/atsgate
