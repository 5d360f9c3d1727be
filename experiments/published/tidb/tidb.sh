#!/bin/sh
# Destroys the TiDB cluster and deploys it anew with TiUP, or destroys it alone:
#
#     tidb.sh deploy VERSION bound|unbound
#     tidb.sh destroy
#
# Without NUMA binding, the lines numa_node of the topology are left out. The variables are the report's.

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
    mysql --host=lvs --port=4000 --user=root <<END
CREATE DATABASE IF NOT EXISTS sysbench;
SET GLOBAL tidb_hashagg_final_concurrency = 1;
SET GLOBAL tidb_hashagg_partial_concurrency = 1;
SET GLOBAL tidb_enable_async_commit = 1;
SET GLOBAL tidb_enable_1pc = 1;
SET GLOBAL tidb_guarantee_linearizability = 0;
SET GLOBAL tidb_enable_clustered_index = 1;
END
fi
