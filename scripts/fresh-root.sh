#!/usr/bin/env bash
# Runs goals of make on a machine that has only what README.md asks for.
#
# Usage: scripts/fresh-root.sh GOAL...
#
# It makes an empty Debian in target/fresh, installs the packages that README.md names there, by the
# very command that stands in README.md, and runs each goal on the last commit. The empty Debian is
# of the same release as this system, and its packages come from the same mirror. It has its own
# processes, devices and temporary files, and uses this machine's network. Rust is shown to it
# read-only: rustup is no package of Debian, so the toolchain of this machine stands in for it.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly ROOT=$PWD/target/fresh
readonly FRESH_HOME=/root
readonly SOURCES=$FRESH_HOME/dbdyno
readonly TOOLCHAIN=/opt/rust
# These say how this machine reaches the registries. Nothing else of its environment is passed on.
readonly PASSED_ON='^(PIP_|CARGO_HTTP_|CARGO_NET_)|^(http|https|no|all)_proxy='

refuse() {
    echo "fresh-root.sh: $1" >&2
    exit 1
}

check_machine() {
    local program
    [[ $EUID -eq 0 ]] || refuse 'only root can make a system in a folder and change into it; use sudo'
    for program in mmdebstrap git; do
        command -v "$program" >/dev/null ||
            refuse "$program is missing: apt-get install --no-install-recommends $program"
    done
    [[ -x $(toolchain)/bin/cargo ]] || refuse 'Rust is missing: install it with rustup'
    [[ -n $(archives) ]] ||
        refuse 'apt knows no archive of Debian for this release; is this Debian? run apt-get update'
    [[ -n $(packages_command) ]] || refuse 'README.md has no line "sudo apt-get install ..."'
    [[ -z $(git status --porcelain) ]] ||
        echo 'fresh-root.sh: what is not committed is not tested' >&2
}

toolchain() {
    rustc --print sysroot
}

packages_command() {
    sed -n 's/^sudo \(apt-get install .*\)/\1/p' README.md
}

release() {
    sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
}

# The archives of this release that Debian itself makes, each as a line of sources.list.
archives() {
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' 'Origin: Debian' | grep " $(release)"
}

make_root() {
    local acquire=$PWD/target/fresh.apt.conf
    remove_root
    mkdir --parents target
    # How apt fetches here: a proxy, certificates, limits.
    apt-config dump --format '%F "%v";%n' Acquire >"$acquire"
    archives | mmdebstrap --quiet --mode=root --variant=minbase --aptopt="$acquire" \
        "$(release)" "$ROOT" -
    rm "$acquire"
    mkdir --parents "$ROOT$SOURCES" "$ROOT$TOOLCHAIN"
    git archive HEAD | tar --extract --directory "$ROOT$SOURCES"
    show_registries
}

# Copies how pip and cargo are configured here, and which authorities this machine trusts beside the
# usual ones.
show_registries() {
    local own=/usr/local/share/ca-certificates
    copy_in /etc/hosts /etc/hosts
    copy_in /etc/pip.conf /etc/pip.conf
    copy_in "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" "$FRESH_HOME/.config/pip/pip.conf"
    copy_in "${CARGO_HOME:-$HOME/.cargo}/config.toml" "$FRESH_HOME/.cargo/config.toml"
    mkdir --parents "$ROOT$own"
    find "$own" -name '*.crt' -exec cp {} "$ROOT$own" \;
}

copy_in() {
    if [[ -e $1 ]]; then
        install -D --mode=600 "$1" "$ROOT$2"
    fi
}

remove_root() {
    rm --recursive --force --one-file-system "$ROOT"
}

# Becomes the first process of the empty system, and runs there what the arguments say. User
# namespaces cannot be made in a chroot, and private servers need them: so the root is exchanged.
enter_root() {
    mount --bind "$ROOT" "$ROOT"
    mount --bind --options ro "$(toolchain)" "$ROOT$TOOLCHAIN"
    mount --types proc proc "$ROOT/proc"
    mount --rbind /sys "$ROOT/sys"
    mount --rbind /dev "$ROOT/dev"
    mount --types tmpfs --options mode=1777 tmpfs "$ROOT/dev/shm"
    mkdir --parents "$ROOT/old"
    cd "$ROOT"
    pivot_root . old
    cd "$SOURCES"
    umount --lazy /old
    mapfile -t environment < <(env | grep --extended-regexp --ignore-case "$PASSED_ON" || true)
    exec env --ignore-environment "${environment[@]}" HOME=$FRESH_HOME LANG=C.UTF-8 \
        PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$TOOLCHAIN/bin" "$@"
}

# Runs a command in the empty system, and ends all that it leaves behind.
inside() {
    unshare --mount --pid --fork --kill-child --ipc --uts "$0" --enter "$@"
}

if [[ $1 == --enter ]]; then
    enter_root "${@:2}"
fi

check_machine
trap remove_root EXIT
make_root
summary=()
passed=true
for command in "apt-get update" "$(packages_command) --yes" "${@/#/make }"; do
    began=$SECONDS
    result=passed
    printf '\n== fresh: %s\n' "$command"
    inside $command || { result=failed; passed=false; }
    summary+=("$(printf '%-6s %5d s  %s' "$result" $((SECONDS - began)) "$command")")
done
printf '\n== a machine with only what README.md names\n'
printf '%s\n' "${summary[@]}"
$passed
