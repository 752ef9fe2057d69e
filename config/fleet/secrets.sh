#!/bin/sh
# Makes the credentials of the services in compose.yml, once: a CA, the server's certificate, and for each login a
# password in a file that libpq reads.
#
#   secrets.sh FOLDER [HOST]
#
# HOST is the server's name, by default db. Existing files are kept.
set -eu
umask 077
cd "$1"
host=${2:-db}

if [ ! -s db.crt ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=atsgate fleet CA" \
        -addext basicConstraints=critical,CA:TRUE -keyout ca.key -out ca.crt
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$host" -keyout db.key -out db.csr
    printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth\n' "$host" >db.ext
    openssl x509 -req -in db.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 825 -extfile db.ext -out db.crt
    rm ca.key db.csr db.ext
fi
for login in postgres gate1 gate2 people; do
    [ -s "$login.password" ] || openssl rand -hex 24 >"$login.password"
    printf '*:*:*:%s:%s\n' "$login" "$(cat "$login.password")" >"$login.pgpass"
done

# Readable for the users that need them: the server's user, and that of atsgate's image (docker/Dockerfile).
chmod 0711 .
chmod 0644 ca.crt db.crt
if [ "$(id -u)" = 0 ]; then
    if user=$(id -u postgres 2>/dev/null); then
        chown "$user" db.key postgres.password
    else
        echo "secrets.sh: no user postgres here: change the owner of db.key and postgres.password to the server's" >&2
    fi
    for login in postgres gate1 gate2 people; do chown 10001 "$login.pgpass"; done
fi
