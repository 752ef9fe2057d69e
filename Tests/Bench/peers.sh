# The proxies that the gate is compared with, for bench.sh: those that are installed. Needs: work, running, origin,
# http_port, https_port, plain_url, tls_url, through, speed, and processes.sh. A process number of 0 is an absent peer.

# Each peer needs nginx as its origin: the lab's names mean nothing to it.
start_peers() {
    haproxy=0 squid=0 sslsplit=0 mitmdump=0
    [ $origin = nginx ] || return 0
    local absent="" peer
    for peer in haproxy squid sslsplit mitmdump; do
        if command -v $peer >/dev/null; then start_$peer; else absent="$absent $peer"; fi
    done
    [ -z "$absent" ] || say "not installed, so not in the table:$absent"
}

# takes_part NAME PID PORT
takes_part() { comes "$2" listens "$3" || { say "$1 does not start here" && return 1; }; }

start_haproxy() {
    free_port && haproxy_plain=$port
    free_port && haproxy_tls=$port
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
    bind 127.0.0.1:$haproxy_plain
    default_backend plain
frontend tls
    bind 127.0.0.1:$haproxy_tls ssl crt $work/tls/both.pem
    default_backend tls
backend plain
    server origin 127.0.0.1:$http_port
backend tls
    server origin 127.0.0.1:$https_port ssl verify required ca-file $work/tls/ca.pem sni str(bench.test)
CONF
    haproxy -db -f "$work/haproxy.cfg" >"$work/haproxy.log" 2>&1 &
    haproxy=$!
    running+=("$haproxy")
    takes_part haproxy "$haproxy" "$haproxy_plain" || haproxy=0
}

# Plain loads only: its interception needs a build that Debian does not install by default.
start_squid() {
    free_port && squid_port=$port
    echo "127.0.0.1 bench.test" >"$work/hosts"
    mkdir -m 777 "$work/squid"
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
    squid=$!
    running+=("$squid")
    takes_part squid "$squid" "$squid_port" || squid=0
}

# Relays one port to one origin, with a leaf of its own making. As ssl, because its https closes after every answer.
start_sslsplit() {
    free_port && sslsplit_port=$port
    sslsplit -k "$work/tls/ca.key" -c "$work/tls/ca.pem" ssl 127.0.0.1 "$sslsplit_port" 127.0.0.1 "$https_port" \
        >"$work/sslsplit.log" 2>&1 &
    sslsplit=$!
    running+=("$sslsplit")
    takes_part sslsplit "$sslsplit" "$sslsplit_port" || sslsplit=0
}

start_mitmdump() {
    free_port && mitmdump_port=$port
    mitmdump -q --listen-host 127.0.0.1 --listen-port "$mitmdump_port" --set confdir="$work/mitm" \
        --set ssl_insecure=true >"$work/mitmdump.log" 2>&1 &
    mitmdump=$!
    running+=("$mitmdump")
    takes_part mitmdump "$mitmdump" "$mitmdump_port" || mitmdump=0
}

measure_peers() {
    local plain tls
    if [ "$haproxy" != 0 ]; then
        plain="--url $plain_url --connect-to 127.0.0.1:$haproxy_plain"
        tls="--url $tls_url --connect-to 127.0.0.1:$haproxy_tls"
        speed haproxy "$haproxy" "plain=$plain" "intercepted=$tls" "fresh=$tls"
    fi
    if [ "$squid" != 0 ]; then speed squid "$squid" "plain=$(through "$plain_url" "$squid_port")"; fi
    if [ "$sslsplit" != 0 ]; then
        tls="--url $tls_url --connect-to 127.0.0.1:$sslsplit_port"
        speed sslsplit "$sslsplit" "intercepted=$tls" "fresh=$tls"
    fi
    if [ "$mitmdump" != 0 ]; then
        plain=$(through "http://127.0.0.1:$http_port/1k" "$mitmdump_port")
        tls=$(through "https://127.0.0.1:$https_port/1k" "$mitmdump_port")
        speed mitmdump "$mitmdump" "plain=$plain" "intercepted=$tls" "fresh=$tls"
    fi
}
