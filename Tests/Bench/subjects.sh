# What is measured, for bench.sh: origins and the gate. Needs: work, running, bin, and processes.sh.

PATH=$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin

# A CA of this run's own, and a leaf for bench.test.
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
    printf '%s\n' 'subjectAltName = DNS:bench.test, IP:127.0.0.1' 'extendedKeyUsage = serverAuth' >"$folder/leaf.cnf"
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

# An origin with a body of 1 KiB in the clear and in TLS: nginx where it is, the lab otherwise.
# Sets plain_url, tls_url, direct_plain, direct_tls, http_port and https_port.
start_origin() {
    make_certificates
    if ! command -v nginx >/dev/null; then
        origin=lab
        return
    fi
    origin=nginx
    free_port && http_port=$port
    free_port && https_port=$port
    mkdir "$work/www" "$work/nginx"
    head -c 1024 /dev/zero | tr '\0' a >"$work/www/1k"
    # Served by an unprivileged process when started as root.
    chmod 755 "$work" "$work/www"
    cat >"$work/nginx.conf" <<CONF
daemon off; worker_processes 2; error_log stderr warn; pid $work/nginx/pid;
events { worker_connections 2048; }
http {
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; keepalive_timeout 120s;
    client_body_temp_path $work/nginx/body; proxy_temp_path $work/nginx/proxy; fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi; scgi_temp_path $work/nginx/scgi; open_file_cache max=10;
    server {
        listen 127.0.0.1:$http_port backlog=1024; listen 127.0.0.1:$https_port ssl backlog=1024; root $work/www;
        ssl_certificate $work/tls/leaf.pem; ssl_certificate_key $work/tls/leaf.key;
    }
}
CONF
    nginx -p "$work" -c "$work/nginx.conf" 2>"$work/nginx.log" &
    running+=($!)
    wait_until "nginx" $! listens "$http_port"
    plain_url=http://bench.test:$http_port/1k
    tls_url=https://bench.test:$https_port/1k
}

# The lab, for bodies and tunnels, and as the origin of everything where there is no nginx.
start_lab() {
    "$bin/atsgate" lab --write-config "$work/lab.conf" >"$work/lab.txt" 2>"$work/lab.log" &
    running+=($!)
    wait_until "lab" $! test -s "$work/lab.conf"
    if [ $origin = lab ]; then
        say "no nginx here: the lab is the origin, which is slower"
        http_port=$(sed -n 's/^connect-to = cleartext\.lab\.test:80:127\.0\.0\.1://p' "$work/lab.conf")
        https_port=$(sed -n 's/^connect-to = good\.lab\.test:443:127\.0\.0\.1://p' "$work/lab.conf")
        plain_url=http://cleartext.lab.test/bytes/1024
        tls_url=https://good.lab.test/bytes/1024
    fi
    direct_plain="--url $plain_url --connect-to 127.0.0.1:$http_port"
    direct_tls="--url $tls_url --connect-to 127.0.0.1:$https_port"
}

# start_gate NAME OPTIONS: sets `started` to the process and `port` to where it listens. A gate that is called memory
# listens at memory_port, so that its port is known beforehand.
free_port && memory_port=$port
start_gate() {
    local name=$1 options=$2 listen=0
    [ "$name" != memory ] || listen=$memory_port
    rm -f "$work/port"
    # shellcheck disable=SC2086  # options are several words
    "$bin/atsgate" proxy --config "$work/lab.conf" --roots "$work/tls/ca.pem" \
        --connect-to "bench.test::127.0.0.1:" --passthrough good12.lab.test \
        --policy config/dictionaries/arbitrary-loads.plist --listen 127.0.0.1:"$listen" --port-file "$work/port" \
        --ca-dir "$work/ca" --recording bench $options 2>"$work/gate-$name.log" &
    started=$!
    running+=("$started")
    wait_until "gate" "$started" test -s "$work/port"
    port=$(cat "$work/port")
}

# A figure for an intercepted load is worth something only when the load is intercepted.
prove_interception() {
    curl --silent --show-error --noproxy '' --max-time 30 --proxy "http://127.0.0.1:$gate_port" \
        --cacert "$work/ca/ca-cert.pem" --output /dev/null "$tls_url" || {
        say "loads are not intercepted as they should be"
        exit 2
    }
}
