# shellcheck shell=bash disable=SC2034,SC2154
# Tunnels of redirected clients compared with CONNECT tunnels, for bench.sh: both in a separate network, if the system
# allows one. Needs: work, running, gate_program, note, and the other files of this folder.

# Sets `inside` to the command prefix for that network; false, with the reason in `reason`, if there is none.
make_inside() {
    local as=() entering=(--net --mount --wd) holder
    reason="it needs Linux"
    [ "$(uname -s)" = Linux ] || return 1
    if [ "$(id -u)" != 0 ]; then as=(--map-root-user) entering+=(--user --preserve-credentials); fi
    reason=$(unshare ${as[@]+"${as[@]}"} --net --mount \
        sh -c 'nft add table inet probe && mount --bind /tmp /mnt' 2>&1 >/dev/null) || return 1
    unshare ${as[@]+"${as[@]}"} --net --mount sleep 3600 &
    holder=$!
    running+=("$holder")
    wait_until "network of its own" "$holder" is_elsewhere "$holder"
    inside=(nsenter "${entering[@]}" --target "$holder" --)
    "${inside[@]}" ip link set lo up
    # The gate compares a name's address with the address that the client connected to.
    echo "127.0.0.1 localhost bench.test blind.bench.test" >"$work/hosts"
    "${inside[@]}" mount --bind "$work/hosts" /etc/hosts
}
is_elsewhere() { [ "$(readlink "/proc/$1/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ]; }

listens_inside() { "${inside[@]}" bash -c "exec 3<>/dev/tcp/127.0.0.1/$1"; }

start_inside() {
    mkdir -p "$work/nginx-inside"
    # An ordinary user is root there, and no other user exists.
    sed "s|$work/nginx/|$work/nginx-inside/|g; 1s/^/user root; /" "$work/nginx.conf" >"$work/nginx-inside.conf"
    "${inside[@]}" nginx -p "$work" -c "$work/nginx-inside.conf" 2>"$work/nginx-inside.log" &
    running+=($!)
    wait_until "nginx in a network of its own" $! listens_inside "$https_port"
    rm -f "$work/port"
    "${inside[@]}" "$gate_program" proxy --policy config/dictionaries/arbitrary-loads.plist --listen 127.0.0.1:0 \
        --listen "transparent://127.0.0.1:$led_port,label=bench" --connect-to ":$wanted_port:127.0.0.1:$https_port" \
        "${bench_origins[@]}" --port-file "$work/port" --ca-dir "$work/ca" --recording bench --store none --web off \
        2>"$work/gate-inside.log" &
    started=$!
    running+=("$started")
    wait_until "gate in a network of its own" "$started" test -s "$work/port"
    port=$(head -n 1 "$work/port")
    "${inside[@]}" nft -f - <<NFT
table inet led {
    chain out { type nat hook output priority -100; ip daddr 127.0.0.1 tcp dport $wanted_port redirect to :$led_port; }
}
NFT
}

# A line for each way to the same gate and origin.
run_redirected() {
    local inside=() reason rep words="fresh --size 1024 --connections 32 --seconds $secs"
    make_inside || {
        say "LEFT OUT  tunnel-redirected: $reason"
        return 0
    }
    free_port && led_port=$port
    free_port && wanted_port=$port
    start_inside
    for ((rep = 0; rep < reps; rep++)); do
        # shellcheck disable=SC2086  # words are several
        measure tunnel-redirected "atsgate --store none" "$started" 0 $words --url "${tunnel_url/PATH/1k}" \
            --connect-to "127.0.0.1:$wanted_port"
        # shellcheck disable=SC2086
        measure tunnel-redirected "atsgate by CONNECT" "$started" 0 $words --url "${tunnel_url/PATH/1k}" \
            --proxy "127.0.0.1:$port"
    done
    stop "$started"
}
