# The last commit in an empty Debian, in the folder FOLDER there, and what builds it. A script sources
# this after empty-debian.sh. rustup is no package of Debian, so the Rust of this machine is shown to
# it read-only.

readonly TOOLCHAIN=/opt/rust
readonly MORE_PATH=$TOOLCHAIN/bin

toolchain() {
    rustc --print sysroot
}

mount_more() {
    mount --bind --options ro "$(toolchain)" "$ROOT$TOOLCHAIN"
}

# Makes the root with the checkout; the root goes when the script ends.
make_checkout() {
    check_machine
    check_sources
    trap remove_root EXIT
    make_root
    mkdir --parents "$ROOT$FOLDER" "$ROOT$TOOLCHAIN"
    git archive HEAD | tar --extract --directory "$ROOT$FOLDER"
}

check_sources() {
    [[ -x $(toolchain)/bin/cargo ]] || refuse 'Rust is missing: install it with rustup'
    [[ -n $(packages_command README.md) ]] ||
        refuse 'README.md has no line "sudo apt-get install ..."'
    [[ -z $(git status --porcelain) ]] ||
        echo "$(basename "$0"): what is not committed is not tested" >&2
}
