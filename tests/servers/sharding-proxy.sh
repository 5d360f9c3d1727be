#!/bin/sh
# Fetches Sharding-Proxy's jars into DIRECTORY/jars, once, as its experiment says:
#
#     sharding-proxy.sh DIRECTORY
#
# Fails where Java or Maven is missing, or where the jars can't be had.

set -eu

directory=${1:?usage: sharding-proxy.sh DIRECTORY}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
if [ -e "$directory/jars" ]; then
    exit 0
fi
for program in java mvn; do
    command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 1; }
done
experiments=$(dirname "$0")/../../experiments/clusters
fetched=$(mktemp -d)
trap 'rm -rf "$fetched"' EXIT
mvn --quiet --batch-mode dependency:copy-dependencies \
    --file "$experiments/sharding-proxy.pom.xml" -DoutputDirectory="$fetched" >&2
# This comes last, because it is what says that all is there.
cp -R "$fetched" "$directory/jars"
