#!/bin/sh
# Destroys the TiDB cluster and deploys it anew with TiUP, or destroys it alone:
#
#     tidb.sh deploy VERSION bound|unbound
#     tidb.sh destroy
#
# Without NUMA binding, the lines numa_node of the topology are left out.

set -eu
readonly CLUSTER=dbdyno-test

action=$1
if tiup cluster display "$CLUSTER" >/dev/null 2>&1; then
    tiup cluster destroy "$CLUSTER" --yes
fi
if [ "$action" = deploy ]; then
    topology=$(mktemp)
    trap 'rm -f "$topology"' EXIT
    case $3 in
        bound) cat tidb/topology.yaml ;;
        unbound) grep -v numa_node tidb/topology.yaml ;;
    esac >"$topology"
    tiup cluster deploy "$CLUSTER" "$2" "$topology" --yes
    tiup cluster start "$CLUSTER"
    mysql --host=lvs --port=4000 --user=root --execute='CREATE DATABASE IF NOT EXISTS sbtest'
fi
