#!/usr/bin/env bash
# Installs the programs that the tests run, or says which packages are missing, and fails.
#
# It installs from the system's own archive (Debian, Ubuntu) when it is run by root or by someone
# who may use sudo without a password. Tests start servers of their own: of MariaDB only the
# packages without a service are installed, so that nothing is started here or at the next boot.

set -euo pipefail

# One program that tests run, or that one of these runs, and the package that it is in, a line.
readonly PROGRAMS='
mariadbd            mariadb-server-core
mariadb-install-db  mariadb-server-core
my_print_defaults   mariadb-client-core
openssl             openssl
sysbench            sysbench
valgrind            valgrind
'

# Servers are often outside the PATH of those who are not root.
PATH=$PATH:/usr/local/sbin:/usr/sbin

missing_packages() {
    local program package
    while read -r program package; do
        if [[ -n $program ]] && ! command -v "$program" >/dev/null; then
            echo "$package"
        fi
    done <<<"$PROGRAMS" | sort -u
}

refuse() {
    printf 'The tests need packages that are not installed: %s\n' "${missing[*]}"
    printf 'Install them with: sudo apt-get install --no-install-recommends %s\n' "${missing[*]}"
    printf 'It was not done now because %s.\n' "$1"
    exit 1
} >&2

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
fi

command -v apt-get >/dev/null || refuse 'this system has no apt-get'
apt_get=(env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes)
if [[ $EUID -ne 0 ]]; then
    sudo --non-interactive true 2>/dev/null || refuse 'it takes root, or sudo without a password'
    apt_get=(sudo --non-interactive "${apt_get[@]}")
fi
"${apt_get[@]}" update || refuse 'apt-get update failed'
"${apt_get[@]}" install --no-install-recommends "${missing[@]}" || refuse 'apt-get install failed'

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -gt 0 ]]; then
    refuse 'the packages that apt-get installed lack programs that they should have'
fi
