# shellcheck shell=bash disable=SC2034,SC2154
# A PostgreSQL server with shared stores, for bench.sh. Needs: work, running, bin, gate_program, and processes.sh.

# Sets `database_server` to its process; false, with the reason in `reason`, if there is none.
start_database_server() {
    mkfifo "$work/words"
    "$bin/loader" server <"$work/words" >"$work/server.txt" 2>"$work/server.log" &
    database_server=$!
    running+=("$database_server")
    # It ends when this pipe is closed.
    exec 8>"$work/words"
    if ! comes "$database_server" grep -qx ready "$work/server.txt"; then
        reason=$(tail -n 1 "$work/server.log")
        return 1
    fi
    server_folder=$(server_fact folder)
    server_port=$(server_fact port)
    psql=$(server_fact programs)/psql
    databases=0 database=postgres
}

server_fact() { sed -n "s/^$1=//p" "$work/server.txt"; }

stop_database_server() {
    exec 8>&-
    wait "$database_server" || true
    forget "$database_server"
    rm -f "$work/words"
}

# tell_server hold|go: stops or resumes it.
tell_server() {
    local before
    before=$(grep -c . "$work/server.txt")
    echo "$1" >&8
    wait_until "server that can be held" "$database_server" has_said "$before"
}
has_said() { [ "$(grep -c . "$work/server.txt")" -gt "$1" ]; }

# login_url USER: the URL for clients, over TLS.
login_url() {
    local more="sslmode=verify-full&sslrootcert=$server_folder/ca.crt&passfile=$server_folder/pgpass"
    echo "postgres://$1@127.0.0.1:$server_port/$database?$more"
}

# ask STATEMENT: runs a statement as its administrator, over the socket.
ask() {
    "$psql" -XqAt -v ON_ERROR_STOP=1 "postgres://postgres@/$database?host=$server_folder&port=$server_port" -c "$1"
}

# Creates an empty shared store that replaces the previous one. Sets `database`, and `gate_url` for a gate.
new_shared_store() {
    local old=$database
    database=postgres
    [ "$old" = postgres ] || ask "DROP DATABASE $old WITH (FORCE)"
    databases=$((databases + 1))
    ask "CREATE DATABASE fleet$databases"
    # Writes the dropped data to disk now, not during a measurement.
    ask CHECKPOINT
    database=fleet$databases
    "$gate_program" store init --store "$(login_url postgres)" >>"$work/store.log" 2>&1
    if [ $databases = 1 ]; then
        ask "CREATE ROLE gate LOGIN PASSWORD '$(server_fact password)' IN ROLE atsgate_writer, atsgate_reader"
    fi
    gate_url=$(login_url gate)
}

# The number of loads in the shared store.
shared_loads() { ask "SELECT coalesce(sum(loads), 0) FROM atsgate.tally"; }
has_loads() { [ "$(shared_loads)" -ge "$1" ]; }
