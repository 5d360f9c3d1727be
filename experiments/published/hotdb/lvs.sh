#!/bin/sh
# Has LVS on another machine spread clients over compute nodes, or ends that:
#
#     lvs.sh start HOST VIP NODE,NODE,...      each NODE as host:port
#     lvs.sh stop HOST VIP
#
# VIP is an address of the network that no machine has. Answers go from the nodes to the clients themselves
# (direct routing): with masquerading LVS would have to be the nodes' router, and on one flat network it is
# not. So each node has the VIP as well, at its loopback interface, and says nothing of it to the network.
#
# WAY is the command that leads to a machine, and runs in a shell there what stands behind its name.

set -eu

port=3323
way=${WAY:-ssh -T -o BatchMode=yes}

address_of() {
    getent ahostsv4 "$1" | awk 'NR == 1 {print $1}'
}

# Prints the addresses of the nodes that LVS at HOST knows.
nodes_of() {
    $way "$1" 'ipvsadm --save --numeric' | awk -v "vip=$2:$port" '$1 == "-a" && $3 == vip {sub(/:.*/, "", $5); print $5}'
}

action=${1:?usage: lvs.sh start|stop HOST VIP ...}
vip=$(address_of "$3")
case $action in
start)
    rules="-A -t $vip:$port -s rr"
    for node in $(echo "$4" | tr , ' '); do
        address=$(address_of "${node%:*}")
        quiet=
        for setting in all.arp_ignore=1 all.arp_announce=2 lo.arp_ignore=1 lo.arp_announce=2; do
            quiet="$quiet net.ipv4.conf.$setting"
        done
        $way "$address" "sysctl --quiet --write$quiet && ip address replace $vip/32 dev lo"
        rules="$rules
-a -t $vip:$port -r $address:${node##*:} -g"
    done
    # The interface that leads to the nodes.
    $way "$2" "set -- \$(ip -o route get $address); while [ \$1 != dev ]; do shift; done; ip address replace $vip/32 dev \$2"
    echo "$rules" | $way "$2" 'ipvsadm --restore'
    ;;
stop)
    for address in $(nodes_of "$2" "$vip"); do
        $way "$address" "ip address del $vip/32 dev lo" </dev/null
    done
    $way "$2" "ipvsadm --delete-service --tcp-service $vip:$port
        set -- \$(ip -o address show to $vip); ip address del $vip/32 dev \$2"
    ;;
*)
    echo "lvs.sh: $action is neither start nor stop" >&2
    exit 2
    ;;
esac
