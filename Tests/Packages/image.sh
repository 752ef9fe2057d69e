#!/usr/bin/env bash
# Builds the second stage of docker/Dockerfile around .build/dist/atsgate without a container engine, and runs the
# image: as its user, with a root that must not be written to, its health check, its volume and both ports. Needs root.
# Uses buildah with chroot isolation, on a Debian made by debootstrap; `make release` did the first stage.
#
#   make release && Tests/Packages/image.sh [bookworm|trixie]
#
# Exit: 0, or 1 with the first problem.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/../.."

# shellcheck source=Tests/Packages/bare.sh
. Tests/Packages/bare.sh

suite=${1:-trixie}
bare=$(bare "$suite")
work=$(mktemp -d "${TMPDIR:-/tmp}/atsgate-image.XXXXXX")
store=(--storage-driver vfs --root "$work/store" --runroot "$work/run")
gate=
# buildah does not forward signals to the process it runs.
below() {
    local child
    for child in $(pgrep -P "$1"); do
        below "$child"
        echo "$child"
    done
}
end_gate() {
    # shellcheck disable=SC2046  # one identifier per word is meant
    [ -z "$gate" ] || kill $(below "$gate") "$gate" 2>/dev/null || true
    [ -z "$gate" ] || wait "$gate" || true
    gate=
}
clean_up() {
    end_gate
    buildah "${store[@]}" rm --all >/dev/null 2>&1 || true
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
b() { buildah "${store[@]}" "$@"; }

say "base: $suite, made by debootstrap"
base=$(b from scratch)
b add --quiet "$base" "$bare" / >/dev/null
b commit --quiet "$base" "debian:$suite-slim" >/dev/null
b rm "$base" >/dev/null

say "the image"
mkdir -p "$work/context/.build/dist"
cp .build/dist/atsgate "$work/context/.build/dist/"
.ci/dependencies.py --sbom .build/dist/atsgate >"$work/context/.build/dist/atsgate.spdx.json"
cp LICENSE THIRD-PARTY.md "$work/context/"
# The first stage was done outside: its files come from the context.
sed -n '/^ARG DEBIAN/p; /^FROM debian/,$p' docker/Dockerfile | sed 's/--from=build \/src\//.\//; s/ \/src\/\.build/ .build/g' >"$work/Dockerfile"
b bud --quiet --isolation chroot --pull-never --build-arg DEBIAN="$suite" --format docker -v /etc/resolv.conf:/etc/resolv.conf:ro \
    -f "$work/Dockerfile" -t atsgate "$work/context" >"$work/build.txt" 2>&1 || { tail -n 30 "$work/build.txt" >&2 && fail "no image"; }
container=$(b from --pull-never atsgate)
root=$(b mount "$container")
echo "$(($(du -sk "$root" | cut -f1) / 1024)) MB; the base, with the lists of packages, $(($(du -sk "$bare" | cut -f1) / 1024))"
facts=$(b inspect --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Volumes}} {{.OCIv1.Config.ExposedPorts}}' "$container")
echo "$facts"
case $facts in "10001 "*/var/lib/atsgate*9802/tcp*9803/tcp*) ;; *) fail "user, volume or ports" ;; esac
[ -s "$root/usr/share/doc/atsgate/atsgate.spdx.json" ] || fail "no SBOM inside"
find "$root" -xdev -perm -4000 -newer "$bare/.done" -print | grep . && fail "the image contains a setuid file" || true

say "run: with a root that must not be written to, as 10001"
# chroot isolation has no --read-only, so the files are compared after the run.
touch "$work/begun"
install -d -m 700 -o 10001 -g 10001 "$work/volume"
b run --isolation chroot --user 10001 -v "$work/volume:/var/lib/atsgate" "$container" -- \
    atsgate proxy --listen 127.0.0.1:9802 --web 127.0.0.1:9803 --web-url-file /var/lib/atsgate/web-url >"$work/gate.txt" 2>&1 &
gate=$!
for _ in $(seq 600); do [ -s "$work/volume/web-url" ] && break || sleep 0.1; done
status=$(curl -s -o /dev/null -w '%{http_code} %header{x-atsgate-error}' -x http://127.0.0.1:9802 http://cleartext.example/) || true
[ "$status" = "403 NSURLErrorDomain -1022" ] || { cat "$work/gate.txt" >&2 && fail "the gate did not block: $status"; }
page=$(cat "$work/volume/web-url")
[ "$(curl -s -L -o /dev/null -w '%{http_code}' -c "$work/cookies" "$page")" = 200 ] || fail "the page does not answer at its address"
echo "the gate blocks, the page answers"
b inspect "$container" >"$work/facts.json"
python3 -c '
import json, shlex, sys
print(shlex.join(json.load(open(sys.argv[1]))["Docker"]["config"]["Healthcheck"]["Test"][1:]))
' "$work/facts.json" >"$work/health.sh"
sh "$work/health.sh" || fail "the health check fails"
echo "healthy"
ls -ln "$work/volume"
[ "$(stat --format='%u %a' "$work/volume/ca-key.pem")" = "10001 600" ] || fail "the CA's key is readable by others"
end_gate
for _ in $(seq 100); do
    sh "$work/health.sh" 2>/dev/null || break
    sleep 0.1
done
! sh "$work/health.sh" 2>/dev/null || fail "the health check passes without a gate"
written=$(find "$root" -xdev -newer "$work/begun" -type f -not -path '*/run/*' -not -path '*/etc/hosts' -not -path '*/etc/resolv.conf' -print)
[ -z "$written" ] || fail "written outside the volume: $written"
say "image of $suite: built, run, healthy, nothing written outside its volume"
