# shellcheck shell=bash disable=SC2034,SC2154
# The proxies for comparison, for bench.sh, if they are installed. Needs: work, running, http_port,
# https_port, plain_url, tls_url, tunnel_url, subject, and processes.sh.

start_peers() {
    local peer absent=""
    for peer in haproxy squid sslsplit mitmdump; do
        if ! command -v $peer >/dev/null; then
            absent="$absent $peer"
        elif start_peer $peer; then
            "subject_$peer"
        fi
    done
    [ -z "$absent" ] || say "not installed, so not in the table:$absent"
}

# start_peer NAME: sets the variable of that name to the process; false if it is missing or does not start.
start_peer() {
    command -v "$1" >/dev/null || return 1
    free_port && eval "$1_port=\$port"
    "launch_$1"
    eval "$1=\$!"
    running+=("$!")
    comes "$!" listens "$port" || { say "$1 does not start here" && return 1; }
}

# Three ports: cleartext, TLS and tunnels. It does not support CONNECT; clients connect to it as to an origin.
launch_haproxy() {
    local first=$port
    free_port && haproxy_tls=$port
    free_port && haproxy_tunnel=$port
    port=$first
    configure_haproxy
    haproxy -db -f "$work/haproxy.cfg" >"$work/haproxy.log" 2>&1 &
}

configure_haproxy() {
    cat >"$work/haproxy.cfg" <<CONF
global
    maxconn 4000
defaults
    mode http
    http-reuse always
    timeout connect 10s
    timeout client 60s
    timeout server 60s
frontend plain
    bind 127.0.0.1:$haproxy_port
    default_backend plain
frontend tls
    bind 127.0.0.1:$haproxy_tls ssl crt $work/tls/both.pem alpn h2,http/1.1
    default_backend tls
frontend tunnel
    mode tcp
    bind 127.0.0.1:$haproxy_tunnel
    default_backend tunnel
backend plain
    server origin 127.0.0.1:$http_port
backend tls
    server origin 127.0.0.1:$https_port ssl verify required ca-file $work/tls/ca.pem sni str(bench.test)
backend tunnel
    mode tcp
    server origin 127.0.0.1:$https_port
CONF
}

subject_haproxy() {
    subject haproxy "$haproxy" all "--url $plain_url --connect-to 127.0.0.1:$haproxy_port" \
        "--url $tls_url --connect-to 127.0.0.1:$haproxy_tls" "--url $tunnel_url --connect-to 127.0.0.1:$haproxy_tunnel"
}

# Plain loads only: its interception needs a build that Debian does not install by default.
launch_squid() {
    echo "127.0.0.1 bench.test" >"$work/hosts"
    mkdir -p "$work/squid" && chmod 777 "$work/squid"
    cat >"$work/squid.conf" <<CONF
http_port 127.0.0.1:$squid_port
hosts_file $work/hosts
http_access allow all
cache deny all
cache_log $work/squid/cache.log
access_log stdio:$work/squid/access.log
pid_filename $work/squid/pid
coredump_dir $work/squid
shutdown_lifetime 0 seconds
CONF
    squid -N -f "$work/squid.conf" >"$work/squid.log" 2>&1 &
}

subject_squid() { subject squid "$squid" plain "--url $plain_url --proxy 127.0.0.1:$squid_port" ""; }

# Relays one port to one origin, with leaves it makes itself. In ssl mode, because its https mode closes after every
# answer; with a key like the gate's, because its own would be RSA.
launch_sslsplit() {
    local as=()
    [ "$(id -u)" != 0 ] || as=(-u root)
    sslsplit ${as[@]+"${as[@]}"} -k "$work/tls/ca.key" -c "$work/tls/ca.pem" -K "$work/tls/leaf.key" \
        ssl 127.0.0.1 "$sslsplit_port" 127.0.0.1 "$https_port" >"$work/sslsplit.log" 2>&1 &
}

subject_sslsplit() {
    subject sslsplit "$sslsplit" "intercepted intercepted-256 fresh body-1 body-4" "" \
        "--url $tls_url --connect-to 127.0.0.1:$sslsplit_port"
}

launch_mitmdump() {
    mitmdump -q --listen-host 127.0.0.1 --listen-port "$mitmdump_port" --set confdir="$work/mitm" \
        --set ssl_insecure=true >"$work/mitmdump.log" 2>&1 &
}

# It resolves names itself, so it gets addresses.
subject_mitmdump() {
    local by="--proxy 127.0.0.1:$mitmdump_port"
    subject mitmdump "$mitmdump" "plain intercepted fresh" "--url http://127.0.0.1:$http_port/PATH $by" \
        "--url https://127.0.0.1:$https_port/PATH $by"
}
