#!/bin/sh
# Unpacks Galera, HAProxy and what they run (rsync, stunnel) into the directory given, once:
#
#     galera.sh DIRECTORY
#
# DIRECTORY/bin is then for the PATH, and DIRECTORY/libgalera_smm.so is the provider. Nothing is
# installed because the packages start services. Fails where they can't be had.

set -eu

directory=${1:?usage: galera.sh DIRECTORY}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
if [ -e "$directory/libgalera_smm.so" ] && [ -e "$directory/bin/stunnel" ]; then
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
version=$(dpkg-query --show --showformat='${Version}' mariadb-server-core)
apt-get download --quiet galera-4 haproxy "mariadb-server=$version" rsync lsof libpopt0 stunnel4 libwrap0 libnsl2 libtirpc3 \
    liblua5.3-0 libopentracing-c-wrapper0 libopentracing1 >/dev/null
for package in ./*.deb; do
    dpkg-deb --extract "$package" unpacked
done
mkdir -p "$directory/bin" "$directory/libraries"
find unpacked -path '*/lib/*-linux-gnu/*' -name 'lib*.so*' -exec cp --no-dereference {} "$directory/libraries" \;
cp unpacked/usr/bin/wsrep_sst_* unpacked/usr/bin/lsof "$directory/bin"
mv unpacked/usr/bin/stunnel4 unpacked/usr/bin/stunnel
for program in usr/bin/rsync usr/bin/stunnel usr/sbin/haproxy; do
    name=$(basename "$program")
    cp "unpacked/$program" "$directory/$name"
    # They want libraries that the system may not have. The directory may be moved later.
    cat >"$directory/bin/$name" <<'START'
#!/bin/sh
program=$(realpath "$0")
directory=${program%/bin/*}
LD_LIBRARY_PATH="$directory/libraries" exec "$directory/${program##*/}" "$@"
START
    chmod +x "$directory/bin/$name"
done
chmod 755 "$directory"
# This comes last, because it is what says that all is there.
cp "$(find unpacked -name libgalera_smm.so -type f | head -n 1)" "$directory/libgalera_smm.so"
