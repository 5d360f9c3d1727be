#!/usr/bin/env bash
# Installs the programs, libraries and fonts that the tests use, or says which packages are missing,
# and fails.
#
# It installs from the system's own archive (Debian, Ubuntu) when it is run by root or by someone
# who may use sudo without a password. Tests start servers of their own: of MariaDB only the
# packages without a service are installed, and PostgreSQL's is kept from making the database
# cluster that its service would run, so that nothing is started here or at the next boot.

set -euo pipefail

# One program that tests run, or that one of these runs, and the package that it is in, a line.
readonly PROGRAMS='
chromium            chromium
fc-list             fontconfig
mariadbd            mariadb-server-core
mariadb-install-db  mariadb-server-core
my_print_defaults   mariadb-client-core
openssl             openssl
initdb              postgresql
ip                  iproute2
pgbench             postgresql
postgres            postgresql
psql                postgresql
ssh                 openssh-client
sysbench            sysbench
sysctl              procps
valgrind            valgrind
'

# The same of the libraries that WeasyPrint loads when it writes a report as PDF.
readonly LIBRARIES='
libgobject-2.0.so.0        libglib2.0-0
libpango-1.0.so.0          libpango-1.0-0
libpangoft2-1.0.so.0       libpangoft2-1.0-0
libharfbuzz.so.0           libharfbuzz0b
libharfbuzz-subset.so.0    libharfbuzz-subset0
libfontconfig.so.1         libfontconfig1
'

# A font with the Chinese characters of a report, for Chromium and for WeasyPrint. Where the system
# has another one, that will do.
readonly CHINESE=zh-cn
readonly CHINESE_FONT=fonts-wqy-microhei

# What keeps PostgreSQL's package from making a cluster; it is read at the first installation only,
# and gone again afterwards.
readonly CLUSTER_SETTINGS=/etc/postgresql-common/createcluster.d/dbdyno.conf

has_library() {
    [[ $(ldconfig -p) == *"$1 "* ]]
}

has_font() {
    [[ -n $(fc-list ":lang=$1" family 2>/dev/null) ]]
}

missing_packages() {
    local program library package PATH=$PATH
    # Servers are often outside the PATH of those who are not root, PostgreSQL's outside everybody's.
    PATH+=$(printf ':%s' /usr/local/sbin /usr/sbin /sbin /usr/lib/postgresql/*/bin)
    {
        while read -r program package; do
            [[ -z $program ]] || command -v "$program" >/dev/null || echo "$package"
        done <<<"$PROGRAMS"
        while read -r library package; do
            [[ -z $library ]] || has_library "$library" || echo "$package"
        done <<<"$LIBRARIES"
        has_font "$CHINESE" || echo "$CHINESE_FONT"
    } | sort -u
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
as_root=(env DEBIAN_FRONTEND=noninteractive)
if [[ $EUID -ne 0 ]]; then
    sudo --non-interactive true 2>/dev/null || refuse 'it takes root, or sudo without a password'
    as_root=(sudo --non-interactive "${as_root[@]}")
fi

allow_clusters() {
    "${as_root[@]}" rm --force "$CLUSTER_SETTINGS"
    "${as_root[@]}" rmdir --parents --ignore-fail-on-non-empty "${CLUSTER_SETTINGS%/*}"
}
trap allow_clusters EXIT
"${as_root[@]}" mkdir --parents "${CLUSTER_SETTINGS%/*}"
"${as_root[@]}" tee "$CLUSTER_SETTINGS" >/dev/null <<<'create_main_cluster = false'

apt_get=("${as_root[@]}" apt-get --quiet --yes)
"${apt_get[@]}" update || refuse 'apt-get update failed'
"${apt_get[@]}" install --no-install-recommends "${missing[@]}" || refuse 'apt-get install failed'

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -gt 0 ]]; then
    refuse 'the packages that apt-get installed lack what they should have'
fi
