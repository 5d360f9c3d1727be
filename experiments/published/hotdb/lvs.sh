#!/bin/sh
# Has LVS on another machine spread clients over compute nodes, or end that:
#
#     lvs.sh start HOST NODE,NODE,...      each NODE as host:port
#     lvs.sh stop HOST

set -eu

port=3323
way='ssh -T -o BatchMode=yes'
case ${1:?usage: lvs.sh start|stop HOST ...} in
start)
    address=$(getent ahostsv4 "${2#*@}" | awk 'NR == 1 {print $1}')
    rules="-A -t $address:$port -s rr"
    for node in $(echo "$3" | tr , ' '); do
        # ipvsadm wants addresses, and forwards with its own as the sender (masquerading).
        node_address=$(getent ahostsv4 "${node%:*}" | awk 'NR == 1 {print $1}')
        rules="$rules
-a -t $address:$port -r $node_address:${node##*:} -m"
    done
    echo "$rules" | $way "$2" ipvsadm --restore
    ;;
stop)
    $way "$2" ipvsadm --clear
    ;;
*)
    echo "lvs.sh: $1 is neither start nor stop" >&2
    exit 2
    ;;
esac
