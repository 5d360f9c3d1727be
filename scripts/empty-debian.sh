# An empty Debian in a folder, for scripts that try something on a machine that has almost nothing.
#
# A script sources this and names ROOT, the folder, before. The empty Debian is of the same release
# as this system, and its packages come from the same mirror. It has its own processes, devices and
# temporary files, and uses this machine's network. A script that uses `inside` must call
# `enter_root "${@:2}"` where its first argument is --enter; it may define `mount_more`.

# The home of who works there. A script may name another before.
readonly FRESH_HOME=${FRESH_HOME:-/root}
# These say how this machine reaches the registries. Nothing else of its environment is passed on.
readonly PASSED_ON='^(PIP_|CARGO_HTTP_|CARGO_NET_)|^(http|https|no|all)_proxy='

refuse() {
    echo "$(basename "$0"): $1" >&2
    exit 1
}

check_machine() {
    local program
    [[ $EUID -eq 0 ]] || refuse 'only root can make a system in a folder and change into it; use sudo'
    for program in mmdebstrap git; do
        command -v "$program" >/dev/null ||
            refuse "$program is missing: apt-get install --no-install-recommends $program"
    done
    [[ -n $(archives) ]] ||
        refuse 'apt knows no archive of Debian for this release; is this Debian? run apt-get update'
}

release() {
    sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
}

# The archives of this release that Debian itself makes, each as a line of sources.list.
archives() {
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' 'Origin: Debian' | grep " $(release)"
}

# The first command of a document that installs packages, without sudo.
packages_command() {
    sed -n 's/^sudo \(apt-get install .*\)/\1/p;T;q' "$1"
}

make_root() {
    local acquire=$ROOT.apt.conf
    remove_root
    mkdir --parents "$(dirname "$ROOT")"
    # How apt fetches here: a proxy, certificates, limits.
    apt-config dump --format '%F "%v";%n' Acquire >"$acquire"
    archives | mmdebstrap --quiet --mode=root --variant=minbase --aptopt="$acquire" \
        "$(release)" "$ROOT" -
    rm "$acquire"
    show_registries
}

# Copies how pip and cargo are configured here, and which authorities this machine trusts beside the
# usual ones.
show_registries() {
    local own=/usr/local/share/ca-certificates
    copy_in /etc/hosts /etc/hosts 644
    copy_in /etc/pip.conf /etc/pip.conf
    copy_in "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" "$FRESH_HOME/.config/pip/pip.conf"
    copy_in "${CARGO_HOME:-$HOME/.cargo}/config.toml" "$FRESH_HOME/.cargo/config.toml"
    mkdir --parents "$ROOT$own"
    find "$own" -name '*.crt' -exec cp {} "$ROOT$own" \;
}

copy_in() {
    if [[ -e $1 ]]; then
        install -D --mode="${3:-600}" "$1" "$ROOT$2"
    fi
}

remove_root() {
    rm --recursive --force --one-file-system "$ROOT"
}

mount_more() {
    :
}

# Becomes the first process of the empty system, and runs in the folder FOLDER there what the
# arguments say. User namespaces cannot be made in a chroot, and private servers need them: so the
# root is exchanged.
enter_root() {
    mount --bind "$ROOT" "$ROOT"
    mount_more
    mount --types proc proc "$ROOT/proc"
    mount --rbind /sys "$ROOT/sys"
    mount --rbind /dev "$ROOT/dev"
    mount --types tmpfs --options mode=1777 tmpfs "$ROOT/dev/shm"
    mkdir --parents "$ROOT/old"
    cd "$ROOT"
    pivot_root . old
    cd "$FOLDER"
    umount --lazy /old
    mapfile -t environment < <(env | grep --extended-regexp --ignore-case "$PASSED_ON" || true)
    exec env --ignore-environment "${environment[@]}" HOME=$FRESH_HOME LANG=C.UTF-8 \
        PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin${MORE_PATH:+:$MORE_PATH}" "$@"
}

# Runs a command in the empty system, and ends all that it leaves behind.
inside() {
    unshare --mount --pid --fork --kill-child --ipc --uts "$0" --enter "$@"
}

# Runs each command in the empty system, also when one before it failed, and sums up below a title.
run_inside() {
    local title=$1 command began result passed=true summary=()
    for command in "${@:2}"; do
        began=$SECONDS
        result=passed
        printf '\n== fresh: %s\n' "$command"
        inside $command || { result=failed; passed=false; }
        summary+=("$(printf '%-6s %5d s  %s' "$result" $((SECONDS - began)) "$command")")
    done
    printf '\n== %s\n' "$title"
    printf '%s\n' "${summary[@]}"
    $passed
}
