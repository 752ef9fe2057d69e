#!/usr/bin/env bash
# A step of action.yml: installs the program of ARCHIVE into $RUNNER_TEMP/atsgate/program, and adds it to the path.
#
# Exit: 0; 1 if the archive cannot be fetched, or its digest is not SHA256.
set -euo pipefail
folder=$RUNNER_TEMP/atsgate/program
mkdir -p "$folder"
if [ ! -x "$folder/atsgate" ]; then
    packed=$RUNNER_TEMP/atsgate/archive.tar.xz
    curl --fail --silent --show-error --location --retry 3 --output "$packed" "$ARCHIVE"
    if command -v sha256sum >/dev/null; then found=$(sha256sum "$packed"); else found=$(shasum -a 256 "$packed"); fi
    if [ "${found%% *}" != "$SHA256" ]; then
        echo "::error::the archive has the SHA-256 ${found%% *}, not $SHA256: $ARCHIVE"
        exit 1
    fi
    tar -xJf "$packed" -C "$folder" --strip-components 1
    rm "$packed"
fi
echo "$folder" >>"$GITHUB_PATH"
"$folder/atsgate" --version
