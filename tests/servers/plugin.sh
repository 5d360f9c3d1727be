#!/bin/sh
# Unpacks a plug-in of MariaDB's, and the packages of libraries that it wants, into the directory
# given, once.
#
# It is not installed because its package wants the whole server with its service. Fails where it
# can't be had, or is of another version than the server that is installed.

set -eu

usage='usage: plugin.sh DIRECTORY PLUGIN [PACKAGE...]'
directory=${1:?$usage}
plugin=${2:?$usage}
shift 2
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
if [ -e "$directory/ha_$plugin.so" ]; then
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
version=$(dpkg-query --show --showformat='${Version}' mariadb-server-core)
apt-get download --quiet "mariadb-plugin-$plugin=$version" "$@" >/dev/null
for package in ./*.deb; do
    dpkg-deb --extract "$package" unpacked
done
find unpacked -path '*/lib/*-linux-gnu/*' -name 'lib*.so*' -exec cp --no-dereference {} "$directory" \;
# This comes last, because it is what says that all is there.
find unpacked -name "ha_$plugin.so" -exec cp {} "$directory" \;
[ -e "$directory/ha_$plugin.so" ]
