# shellcheck shell=bash
# Origins and the gate, for peers.sh. Needs: work, running, here, python, gate_program, wait_until, listens.

# One root and one leaf for every name, both valid under the strictest policy.
make_certificates() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj "/CN=peers root" \
        -addext "keyUsage=critical,keyCertSign,cRLSign" -keyout "$work/root.key" -out "$work/root.pem" 2>/dev/null
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=peers.test" \
        -keyout "$work/leaf.key" -out "$work/leaf.csr" 2>/dev/null
    printf '%s\n' "subjectAltName=DNS:*.peers.test" "extendedKeyUsage=serverAuth" "keyUsage=digitalSignature" \
        >"$work/leaf.ext"
    openssl x509 -req -in "$work/leaf.csr" -CA "$work/root.pem" -CAkey "$work/root.key" -CAcreateserial -days 90 \
        -extfile "$work/leaf.ext" -out "$work/leaf.pem" 2>/dev/null
}

# Starts a parent proxy that supports only CONNECT, at $parent; its targets are in parent.txt.
start_parent() {
    $python $here/parent.py >"$work/parent.txt" 2>"$work/parent.log" &
    running+=("$!")
    wait_until "the parent proxy" "$!" grep -q listening "$work/parent.txt"
    parent=http://127.0.0.1:$(sed -n 's/^listening //p' "$work/parent.txt")
}

# The port of the scripted origin NAME.
scripted() { sed -n "s/^$1 //p" "$work/ports"; }

# Sets `port` to an unused one, for nginx, which cannot report the port it uses.
free_port() {
    while :; do
        port=$((20000 + RANDOM % 12000))
        listens $port || return 0
    done
}

start_origins() {
    mkfifo "$work/end"
    $python $here/origins.py "$work/leaf.pem" "$work/leaf.key" "$work/report.json" \
        <"$work/end" >"$work/ports" 2>"$work/origins.log" &
    local origins=$!
    running+=("$origins")
    # It ends when its input ends.
    exec 9>"$work/end"
    wait_until "the scripted origins" "$origins" grep -q '^wss ' "$work/ports"
    start_nginx
}

start_nginx() {
    free_port && nginx_h2=$port
    free_port && nginx_h1=$port
    free_port && nginx_short=$port
    mkdir "$work/site" "$work/nginx"
    cp $here/page.html "$work/site/index.html"
    echo small >"$work/site/small"
    dd if=/dev/null of="$work/site/huge" bs=1 seek="${PEERS_SLOW_BYTES:-67108864}" 2>/dev/null
    chmod -R a+rX "$work"
    sed -e "s|WORK|$work|g" -e "s|PORT_H2|$nginx_h2|; s|PORT_H1|$nginx_h1|; s|PORT_SHORT|$nginx_short|" \
        -e "s|PORT_BACK|$(scripted back)|g; s|PORT_WS|$(scripted ws)|g" $here/nginx.conf >"$work/nginx.conf"
    nginx -e "$work/nginx.log" -c "$work/nginx.conf" &
    local nginx=$!
    running+=("$nginx")
    wait_until "nginx" "$nginx" listens "$nginx_h2"
}

start_gate() {
    cat >"$work/policy.json" <<'JSON'
{"NSAppTransportSecurity": {"NSExceptionDomains": {
    "clear.peers.test": {"NSExceptionAllowsInsecureHTTPLoads": true},
    "ws.peers.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}}
JSON
    local to
    for to in h2:443:$nginx_h2 h1:443:$nginx_h1 short:443:$nginx_short "scripted:443:$(scripted h2)" \
        "clear:80:$(scripted h2c)" "forbidden:80:$(scripted h2c)" "ws:80:$(scripted ws)" "wss:443:$(scripted wss)"; do
        echo "connect-to = ${to%%:*}.peers.test:$(cut -d: -f2 <<<"$to"):127.0.0.1:${to##*:}"
    done >"$work/gate.conf"
    "$gate_program" proxy --config "$work/gate.conf" --policy "$work/policy.json" --roots "$work/root.pem" \
        --listen 127.0.0.1:0 --port-file "$work/port" --ca-dir "$work/gate" --store none \
        --json "$work/records.jsonl" --drain 5s --quiet 2>"$work/gate.log" &
    gate=$!
    running+=("$gate")
    wait_until "the gate" "$gate" test -s "$work/port"
    gate_port=$(cat "$work/port")
}
