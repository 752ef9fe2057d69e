# shellcheck shell=bash disable=SC2034,SC2154
# The subjects of measurements, for bench.sh: origins and the gate. Needs: work, running, bin, peers, subject, and
# processes.sh.

# Makes a CA for this run, and a leaf for bench.test and all names below.
make_certificates() {
    local folder=$work/tls
    mkdir "$folder"
    cat >"$folder/ca.cnf" <<'CNF'
[req]
distinguished_name = name
x509_extensions = ca
prompt = no
[name]
CN = atsgate bench root
[ca]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
CNF
    cat >"$folder/leaf.cnf" <<'CNF'
subjectAltName = DNS:bench.test, DNS:*.bench.test, IP:127.0.0.1
extendedKeyUsage = serverAuth
CNF
    {
        openssl ecparam -name prime256v1 -genkey -noout -out "$folder/ca.key"
        openssl req -x509 -new -key "$folder/ca.key" -sha256 -days 30 -config "$folder/ca.cnf" -out "$folder/ca.pem"
        openssl ecparam -name prime256v1 -genkey -noout -out "$folder/leaf.key"
        openssl req -new -key "$folder/leaf.key" -subj /CN=bench.test -out "$folder/leaf.csr"
        openssl x509 -req -in "$folder/leaf.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -CAcreateserial \
            -sha256 -days 30 -extfile "$folder/leaf.cnf" -out "$folder/leaf.pem"
    } 2>"$work/openssl.log"
    cat "$folder/leaf.pem" "$folder/leaf.key" >"$folder/both.pem"
}

# Starts nginx, with cleartext and TLS. Sets http_port, https_port, plain_url, tls_url and tunnel_url, in which PATH
# stands for 1k or 100m.
start_origin() {
    make_certificates
    free_port && http_port=$port
    free_port && https_port=$port
    mkdir "$work/www" "$work/nginx"
    head -c 1024 /dev/zero | tr '\0' a >"$work/www/1k"
    head -c 104857600 /dev/zero >"$work/www/100m"
    # If nginx is started as root, an unprivileged process serves the files.
    chmod 755 "$work" "$work/www"
    cat >"$work/nginx.conf" <<CONF
daemon off; worker_processes 2; error_log stderr warn; pid $work/nginx/pid;
events { worker_connections 11500; }
http {
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; keepalive_timeout 900s;
    client_header_timeout 900s; open_file_cache max=10; ssl_protocols TLSv1.2 TLSv1.3;
    client_body_temp_path $work/nginx/body; proxy_temp_path $work/nginx/proxy; fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi; scgi_temp_path $work/nginx/scgi;
    server {
        listen 127.0.0.1:$http_port backlog=4096; listen 127.0.0.1:$https_port ssl http2 backlog=4096; root $work/www;
        ssl_certificate $work/tls/leaf.pem; ssl_certificate_key $work/tls/leaf.key;
    }
}
CONF
    nginx -p "$work" -c "$work/nginx.conf" 2>"$work/nginx.log" &
    running+=($!)
    wait_until "nginx" $! listens "$http_port"
    plain_url=http://bench.test:$http_port/PATH
    tls_url=https://bench.test:$https_port/PATH
    tunnel_url=https://blind.bench.test:$https_port/PATH
    # The gate's options for reaching it.
    bench_origins=(--roots "$work/tls/ca.pem" --connect-to ::127.0.0.1: --passthrough blind.bench.test)
}

# Starts the lab, which takes uploads and generates bodies of any size. lab_origins directs its names there.
start_lab() {
    "$gate_program" lab --write-config "$work/lab.conf" >"$work/lab.txt" 2>"$work/lab.log" &
    lab=$!
    running+=("$lab")
    wait_until "lab" "$lab" test -s "$work/lab.conf"
    lab_origins=(--config "$work/lab.conf")
}

# launch_gate NAME PORT OPTION...: sets `started` to the process, without waiting. `policy` is the dictionary.
policy=config/dictionaries/arbitrary-loads.plist
launch_gate() {
    local name=$1 listen=$2
    shift 2
    "$gate_program" proxy --policy "$policy" --listen 127.0.0.1:"$listen" \
        --port-file "$work/port" --ca-dir "$work/ca" --recording bench "$@" 2>"$work/gate-$name.log" &
    started=$!
    running+=("$started")
}

# start_gate NAME OPTION...: sets `started` to the process and `port` to its port.
start_gate() {
    local name=$1
    shift
    rm -f "$work/port"
    launch_gate "$name" 0 "$@"
    wait_until "gate" "$started" test -s "$work/port"
    port=$(cat "$work/port")
}

# prove_interception PORT: checks that a load is really intercepted; otherwise the figure would be meaningless.
prove_interception() {
    curl --silent --show-error --noproxy '' --max-time 30 --proxy "http://127.0.0.1:$1" \
        --cacert "$work/ca/ca-cert.pem" --output /dev/null "${tls_url/PATH/1k}" || {
        say "loads are not intercepted"
        exit 2
    }
}

# Starts all subjects: three gates, and the peers.
start_subjects() {
    local everything="plain intercepted http2 fresh latency-plain latency-tls body-1 body-4 tunnel-body tunnel-setup"
    forget_subjects
    rm -f "$work"/records.sqlite*
    subject direct 0 "$everything" "--url $plain_url --connect-to 127.0.0.1:$http_port" \
        "--url $tls_url --connect-to 127.0.0.1:$https_port" "--url $tunnel_url --connect-to 127.0.0.1:$https_port"
    start_gate store "${bench_origins[@]}" --store "$work/records.sqlite"
    prove_interception "$port"
    gate_subject atsgate
    start_gate none "${bench_origins[@]}" --store none
    prove_interception "$port"
    gate_subject "atsgate --store none"
    if [ "$peers" = yes ]; then start_peers; fi
}

gate_subject() {
    local by="--proxy 127.0.0.1:$port"
    subject "$1" "$started" all "--url $plain_url $by" "--url $tls_url $by" "--url $tunnel_url $by"
}

stop_subjects() {
    local pid
    for pid in "${pids[@]}"; do [ "$pid" = 0 ] || stop "$pid"; done
}

# Loads that were in flight at the end of a run count as failed; each answered one must be recorded.
tell_recorded() {
    local answered
    answered=$(awk -F '\t' '$2 == "atsgate" { n += $8 } END { print n + 1 }' "$work/runs.tsv")
    echo "the gate recorded $(sed -n 's/^atsgate: \([0-9]* loads: .*\)/\1/p' "$work/gate-store.log");" \
        "answered: $answered"
}
