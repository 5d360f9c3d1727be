#!/bin/sh
# Starts or ends a compute node of HotDB Server on another machine:
#
#     node.sh start HOST FOLDER COLLECTOR HEAP
#     node.sh stop HOST
#     node.sh describe HOST
#
# describe says which Java runs it. COLLECTOR is G1 or Z, which Java 11 has as an experiment. WAY is the
# command that leads to a machine, as in lvs.sh.
#
# FOLDER/hotdb.json has the data nodes and the password of this start. HotDB keeps its data nodes and
# tables in a database for its configuration, which its own management fills; what does that from
# hotdb.json is import-nodes on HOST, a program of whoever has deployed HotDB there.

set -eu

home=/usr/local/hotdb/hotdb-server
way=${WAY:-ssh -T -o BatchMode=yes}
case ${1:?usage: node.sh start|stop|describe HOST ...} in
start)
    $way "$2" "umask 077; cat >$home/conf/dbdyno.json" <"$3/hotdb.json"
    $way "$2" "cd $home && bin/import-nodes conf/dbdyno.json &&
        JAVA_OPTS='-XX:+UnlockExperimentalVMOptions -XX:+Use$4GC -Xms$5 -Xmx$5' bin/hotdb_server start"
    ;;
stop)
    $way "$2" "cd $home && bin/hotdb_server stop; rm -f conf/dbdyno.json"
    ;;
describe)
    $way "$2" 'java -version'
    ;;
*)
    echo "node.sh: $1 is none of start, stop and describe" >&2
    exit 2
    ;;
esac
