#!/bin/sh
# Creates the logins of compose.yml and grants them their roles, with psql as the server's administrator. Can be
# repeated.
#
#   logins.sh FOLDER        the folder that secrets.sh has filled; PGHOST etc. select the server
set -eu
folder=$1
PGPASSWORD=$(cat "$folder/postgres.password")
PGSSLROOTCERT=$folder/ca.crt
export PGPASSWORD PGSSLROOTCERT

# make LOGIN ROLE: creates a login. The password goes through standard input and is not part of a command.
make() {
    psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --set login="$1" --set role="$2" <<SQL
\\set password \`cat '$folder/$1.password'\`
SELECT format('CREATE ROLE %I LOGIN', :'login')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'login') \\gexec
ALTER ROLE :"login" PASSWORD :'password';
GRANT :"role" TO :"login";
SQL
}

make gate1 atsgate_writer
make gate2 atsgate_writer
make people atsgate_reader
