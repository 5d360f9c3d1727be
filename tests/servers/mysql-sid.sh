#!/bin/sh
# Installs the MySQL server of Debian's unstable suite into a directory, beside whatever the system
# has, as root or not:
#
#     mysql-sid.sh DIRECTORY
#
# DIRECTORY/root/usr is then a base directory, and DIRECTORY/mysqld starts its server without option
# files and with the options that it is given. Packages come from the mirror that the system's own
# sources name. The suite changes from day to day: what is installed is whatever it holds today.
set -eu

directory=${1:?usage: mysql-sid.sh DIRECTORY}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)

root=$directory/root
program=$root/usr/sbin/mysqld
if [ -x "$directory/mysqld" ] && [ -x "$program.real" ]; then
    exit 0
fi

. /etc/os-release
if [ "${ID:-}" != debian ]; then
    echo "mysql-sid.sh: this is ${PRETTY_NAME:-no Debian}; only Debian's mirrors have the suite sid" >&2
    exit 1
fi

mirror=$(apt-get indextargets --format '$(RELEASE) $(BASE_URI)' 'Created-By: Packages' |
    sed -n "s|^$VERSION_CODENAME \\([^ ]*/\\)dists/.*|\\1|p" | head -n 1)
if [ -z "$mirror" ]; then
    echo "mysql-sid.sh: no source in /etc/apt is one of $VERSION_CODENAME, so that no mirror is known" >&2
    exit 1
fi

# apt with its own lists, cache and empty list of installed packages: it then downloads the packages
# with everything that they need, down to the C library, and touches nothing of the system.
apt=$directory/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$apt/sources.list"
cat >"$apt/apt.conf" <<CONFIGURATION
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$apt";
Dir::State::Lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Sandbox::User "";
APT::Install-Recommends "false";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
CONFIGURATION
export APT_CONFIG="$apt/apt.conf"
apt-get -qq update
apt-get -qq install --download-only --yes mysql-server-core mysql-client-core >/dev/null
rm -rf "$root"
mkdir -p "$root"
for package in "$apt"/cache/archives/*.deb; do
    dpkg -x "$package" "$root"
done
rm -r "$apt"

# The packages' own loader and libraries, because the system's are older.
libraries=$(dirname "$(find "$root" -name 'libc.so.6' | head -n 1)")
loader=$(find "$root" \( -name 'ld-linux*.so.*' -o -name 'ld64.so.*' \) | head -n 1)
mv "$program" "$program.real"
cat >"$program" <<START
#!/bin/sh
exec "$loader" --library-path "$libraries:$root/usr/lib/mysql/private" "$program.real" "\$@"
START
chmod +x "$program"
cat >"$directory/mysqld.new" <<START
#!/bin/sh
exec "$program" --no-defaults --basedir="$root/usr" --secure-file-priv=NULL "\$@"
START
chmod +x "$directory/mysqld.new"
mv "$directory/mysqld.new" "$directory/mysqld"
