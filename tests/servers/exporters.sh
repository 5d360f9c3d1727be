#!/bin/sh
# Unpacks Prometheus' exporters of hosts, MySQL and PostgreSQL into the directory given, once.
#
# They are not installed because their packages start services. Fails where they can't be had.

set -eu

directory=${1:?usage: exporters.sh DIRECTORY}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
if [ -e "$directory/prometheus-node-exporter" ]; then
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
apt-get download --quiet prometheus-mysqld-exporter prometheus-postgres-exporter \
    prometheus-node-exporter >/dev/null
for package in ./*.deb; do
    dpkg-deb --extract "$package" unpacked
done
cp unpacked/usr/bin/prometheus-mysqld-exporter unpacked/usr/bin/prometheus-postgres-exporter \
    "$directory"
chmod 755 "$directory"
# This comes last, because it is what says that all is there.
cp unpacked/usr/bin/prometheus-node-exporter "$directory"
