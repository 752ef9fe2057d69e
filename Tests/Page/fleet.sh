#!/usr/bin/env bash
# The live page of gates that share a store, in a headless Chromium: all gates, the blocked hosts, a login that may not
# see them, a server that stops, accessibility problems by axe-core. The server is PostgreSQL's own, which
# `.ci/install.sh fleet` installs; `.ci/install.sh peers` installs the rest.
#
#   Tests/Page/fleet.sh [FOLDER]     pictures go to FOLDER, by default .build/page
#
# PEERS_GATE is the command, by default that of the debug build. Exit: 0, or 1 with what is missing.
cd "$(dirname "$0")/../.." || exit
here=Tests/Page
pictures=${1:-.build/page}
mkdir -p "$pictures"
deadline_seconds=60 missing_status=1
. Tests/Peers/preamble.sh fleet

if [ -z "${PEERS_GATE-}" ]; then
    swift build --product atsgate >"$work/build.txt" 2>&1 || { cat "$work/build.txt" >&2 && exit 2; }
fi
gate=${PEERS_GATE:-$(swift build --show-bin-path)/atsgate}
say "a PostgreSQL server, and two gates that share its store"
initdb=$(find /usr/lib/postgresql "$PWD/.build/postgresql" -path '*/bin/initdb' 2>/dev/null | sort | tail -n 1) || true
[ -n "$initdb" ] || { echo "MISSING  a PostgreSQL server: install one with .ci/install.sh fleet" >&2 && exit 1; }
# The server refuses to run as root, and its folder must be private.
as=(env)
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
mkdir "$work/pg"
chmod 711 "$work"
if [ "$(id -u)" = 0 ]; then chown 65534:65534 "$work/pg"; fi
(cd / && "${as[@]}" "$initdb" -D "$work/pg/data" --username postgres --auth trust --encoding UTF8 --no-locale --no-sync) \
    >"$work/initdb.log" 2>&1 || { cat "$work/initdb.log" >&2 && exit 1; }
serve() {
    (cd / && exec "${as[@]}" "${initdb%initdb}postgres" -D "$work/pg/data" -c listen_addresses= -c unix_socket_directories="$work/pg") \
        >>"$work/server.log" 2>&1 &
    server=$!
    running+=("$server")
    # The status is in the eighth line (PostgreSQL 15, src/include/utils/pidfile.h).
    wait_until "the server" $server grep -q '^ready' "$work/pg/data/postmaster.pid"
}
serve
$python $here/sql.py "host=$work/pg user=postgres dbname=postgres" "CREATE DATABASE ats ENCODING 'UTF8' TEMPLATE template0"
"$gate" store init --store "postgres://postgres@/ats?host=$work/pg" >"$work/init.log" 2>&1 || { cat "$work/init.log" >&2 && exit 1; }
$python $here/sql.py "host=$work/pg user=postgres dbname=ats" "CREATE ROLE lonely LOGIN IN ROLE atsgate_writer" \
    "CREATE ROLE fleet LOGIN IN ROLE atsgate_writer, atsgate_viewer"
export XDG_DATA_HOME="$work/data"
mkdir "$work/data"
for login in lonely fleet; do
    "$gate" proxy --listen 127.0.0.1:0 --ca-dir "$work/gate" --store "postgres://$login@/ats?host=$work/pg" --recording first \
        --web 127.0.0.1:0 --web-url-file "$work/$login.url" >"$work/$login.log" 2>&1 &
    running+=($!)
    wait_for "$work/$login.url" $!
done
say "all gates on the page of one, in Chromium"
mkfifo "$work/ordered"
$python $here/fleet.py "$(cat "$work/fleet.url")" "$(cat "$work/lonely.url")" "$work/pg" "$pictures" >"$work/ordered" &
looker=$!
running+=("$looker")
while read -r line; do
    case $line in
        END) kill -INT $server && wait $server || true ;;
        START) serve ;;
        *) echo "$line" ;;
    esac
done <"$work/ordered"
wait $looker
say "the same by axe-core, and the API against its schema"
$python $here/axe.py "$(cat "$work/fleet.url")" .build/axe/axe_playwright_python/axe.min.js "$pictures" "" fleet
$python $here/api.py "$(cat "$work/fleet.url")" docs/api.schema.json state fleet groups policy recordings
# Before the gates end, because it would wait for them.
kill -INT $server && wait $server || true
