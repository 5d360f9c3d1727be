#!/bin/sh
# Stands in for tidb.sh on one machine: destroys a Galera cluster of three nodes behind HAProxy and
# deploys it anew, empty, or destroys it alone:
#
#     galera.sh deploy FLUSH
#     galera.sh describe
#     galera.sh destroy
#
# FLUSH is when each node flushes its log: at-commit or each-second. HAProxy is at port 14000 of the
# loopback, the nodes are at 14001 to 14003: one machine has one such cluster at a time. The user root
# has the password in STAND_IN_PASSWORD, which must be in DBDYNO_PASSWORD, too: dbdyno hands that one on to
# nobody.

set -eu
: "${STAND_IN_PASSWORD:?set it and DBDYNO_PASSWORD to one password that you make up}"
servers=${SERVERS:-$(cd ../../target/test-servers/galera && pwd -P)}
# For root, the rsync of a state transfer becomes nobody, who may not read root's data. In a namespace of
# users root has another number, and reads and writes what it did before.
if [ "$(id -u)" = 0 ]; then
    SERVERS=$servers exec unshare --user --map-user=1 --map-group=1 "$0" "$@"
fi
PATH=$servers/bin:$PATH:/usr/sbin
readonly HOME_OF_ALL=/tmp/dbdyno-galera-$(id -u)

destroy() {
    for file in "$HOME_OF_ALL"/*.pid; do
        [ -e "$file" ] || continue
        process=$(cat "$file")
        kill "$process" 2>/dev/null || true
        while kill -0 "$process" 2>/dev/null; do sleep 0.1; done
    done
    rm -rf "$HOME_OF_ALL"
}

ask() {
    MYSQL_PWD=$STAND_IN_PASSWORD mariadb --no-defaults --host=127.0.0.1 --port="1400$1" --user=root --skip-column-names \
        --execute="$2"
}

# Leaves one user, with a password, before anybody can connect. Nodes that join take it over.
protect() {
    mariadbd --no-defaults --bootstrap --datadir="$1" >>"$HOME_OF_ALL/install.log" 2>&1 <<END
DELETE FROM mysql.global_priv WHERE user <> 'mariadb.sys' AND host <> '127.0.0.1';
UPDATE mysql.global_priv SET priv = JSON_SET(priv, '\$.plugin', 'mysql_native_password', '\$.authentication_string', PASSWORD('$STAND_IN_PASSWORD')) WHERE user = 'root';
END
}

# A node that joins answers once it has all data of the cluster.
start_node() {
    node=$HOME_OF_ALL/node$1
    options="gmcast.listen_addr=tcp://127.0.0.1:1401$1;ist.recv_addr=127.0.0.1:1402$1;gcache.size=64M"
    mariadbd --no-defaults --datadir="$node" --pid-file="$node.pid" --socket="$node.sock" \
        --bind-address=127.0.0.1 --port="1400$1" --skip-name-resolve --local-infile=ON \
        --innodb-buffer-pool-size=128M --innodb-autoinc-lock-mode=2 --binlog-format=ROW \
        --wsrep-on=ON --wsrep-provider="$servers/libgalera_smm.so" \
        --wsrep-cluster-name=stand-in --wsrep-cluster-address="$2" --wsrep-node-name="node$1" \
        --wsrep-node-address="127.0.0.1:1401$1" --wsrep-provider-options="$options" \
        --wsrep-sst-method=rsync --wsrep-sst-receive-address="127.0.0.1:1403$1" \
        --innodb-flush-log-at-trx-commit="$flush" >"$node.log" 2>&1 &
    process=$!
    while kill -0 "$process" 2>/dev/null; do
        ask "$1" "SHOW STATUS LIKE 'wsrep_ready'" 2>/dev/null | grep -q ON && return
        sleep 0.2
    done
    tail -n 5 "$node.log"
    exit 1
}

start_haproxy() {
    cat >"$HOME_OF_ALL/haproxy.cfg" <<END
defaults
    mode tcp
    timeout connect 10s
    timeout client 1h
    timeout server 1h
listen cluster
    bind 127.0.0.1:14000
    balance roundrobin
    server node1 127.0.0.1:14001
    server node2 127.0.0.1:14002
    server node3 127.0.0.1:14003
END
    haproxy -D -p "$HOME_OF_ALL/haproxy.pid" -f "$HOME_OF_ALL/haproxy.cfg"
}

deploy() {
    case $1 in
        at-commit) flush=1 ;;
        each-second) flush=2 ;;
    esac
    mkdir -m 700 "$HOME_OF_ALL"
    mkdir "$HOME_OF_ALL/node2" "$HOME_OF_ALL/node3"
    mariadb-install-db --no-defaults --datadir="$HOME_OF_ALL/node1" --skip-test-db \
        --auth-root-authentication-method=normal >"$HOME_OF_ALL/install.log" 2>&1
    protect "$HOME_OF_ALL/node1"
    start_node 1 gcomm://
    start_node 2 gcomm://127.0.0.1:14011
    start_node 3 gcomm://127.0.0.1:14011
    start_haproxy
    ask 1 'CREATE DATABASE sbtest'
}

case $1 in
    deploy)
        destroy
        deploy "$2"
        ;;
    describe) ask 1 "SHOW STATUS WHERE variable_name IN ('wsrep_cluster_size', 'wsrep_incoming_addresses')" ;;
    destroy) destroy ;;
esac
