# How an empty Debian comes by Rust: rustup is no package of Debian, so the toolchain of this machine
# is shown to it read-only. A script sources this after empty-debian.sh.

readonly TOOLCHAIN=/opt/rust
readonly MORE_PATH=$TOOLCHAIN/bin

toolchain() {
    rustc --print sysroot
}

mount_more() {
    mount --bind --options ro "$(toolchain)" "$ROOT$TOOLCHAIN"
}

check_sources() {
    [[ -x $(toolchain)/bin/cargo ]] || refuse 'Rust is missing: install it with rustup'
    [[ -n $(packages_command README.md) ]] ||
        refuse 'README.md has no line "sudo apt-get install ..."'
    [[ -z $(git status --porcelain) ]] ||
        echo "$(basename "$0"): what is not committed is not tested" >&2
}
