#!/bin/sh
# Unpacks PgBouncer, and the libraries that it wants, into the directory given, once.
#
# It is not installed because its package starts a service. Fails where it can't be had.

set -eu

directory=${1:?usage: pgbouncer.sh DIRECTORY}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
if [ -e "$directory/pgbouncer" ]; then
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
libraries=$(apt-cache depends pgbouncer | sed -nE 's/^ *Depends: (lib(c-ares|event)[^ ]*)$/\1/p')
# Each name is a word.
# shellcheck disable=SC2086
apt-get download --quiet pgbouncer $libraries >/dev/null
for package in ./*.deb; do
    dpkg-deb --extract "$package" unpacked
done
find unpacked -path '*/lib/*-linux-gnu/*' -name 'lib*.so*' -exec cp --no-dereference {} "$directory" \;
chmod 755 "$directory"
# This comes last, because it is what says that all is there.
cp unpacked/usr/sbin/pgbouncer "$directory"
