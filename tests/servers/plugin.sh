#!/bin/sh
# Unpacks MariaDB's plug-in MyRocks, and the libraries that it wants, into the directory given, once.
#
# It is not installed because its package wants the whole server with its service. Fails where it
# can't be had, or is of another version than the server that is installed.

set -eu

directory=${1:?usage: rocksdb.sh DIRECTORY}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
if [ -e "$directory/ha_rocksdb.so" ]; then
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
version=$(dpkg-query --show --showformat='${Version}' mariadb-server-core)
apt-get download --quiet "mariadb-plugin-rocksdb=$version" libsnappy1v5 >/dev/null
for package in ./*.deb; do
    dpkg-deb --extract "$package" unpacked
done
find unpacked -name 'libsnappy.so*' -exec cp --no-dereference {} "$directory" \;
# This comes last, because it is what says that all is there.
find unpacked -name 'ha_rocksdb.so' -exec cp {} "$directory" \;
[ -e "$directory/ha_rocksdb.so" ]
