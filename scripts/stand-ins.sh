#!/usr/bin/env bash
# Unpacks the servers that stand in for those of published tests beneath target/, each once, and says
# which can't be had here. Tests use the same ones. Nothing of the system is changed.
#
# Java programs come by Maven: `apt-get install default-jre-headless maven` where they are missing.

set -uo pipefail
cd "$(dirname "$0")/.."
readonly DIRECTORY=target/test-servers
failed=()

prepare() {
    local what=$1 directory=$2 script=$3
    shift 3
    mkdir -p "$directory"
    # Tests that run at the same time unpack them, too.
    flock "$directory/lock" sh "tests/servers/$script" "$directory" "$@" || failed+=("$what")
}

prepare 'MyRocks' "$DIRECTORY/rocksdb" plugin.sh rocksdb libsnappy1v5
prepare 'Spider' "$DIRECTORY/spider" plugin.sh spider
prepare 'Galera and HAProxy' "$DIRECTORY/galera" galera.sh
prepare 'MySQL' target/tmp/mysql-sid mysql-sid.sh
prepare 'Sharding-Proxy' "$DIRECTORY/sharding-proxy" sharding-proxy.sh
prepare 'PostgreSQL 13' "$DIRECTORY/postgresql-13" postgresql-jar.sh 13.23.0
prepare 'PostgreSQL 17' "$DIRECTORY/postgresql-17" postgresql-jar.sh 17.5.0

if [[ ${#failed[@]} -gt 0 ]]; then
    printf 'These servers can not be had here (why stands above): %s\n' "$(IFS=,; echo "${failed[*]}")" >&2
    exit 1
fi
