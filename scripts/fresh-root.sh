#!/usr/bin/env bash
# Runs goals of make on a machine that has only what README.md asks for.
#
# Usage: scripts/fresh-root.sh GOAL...
#
# It makes an empty Debian in target/fresh, installs the packages that README.md names there, by the
# very command that stands in README.md, and runs each goal on the last commit. Rust is shown to it
# read-only: rustup is no package of Debian, so the toolchain of this machine stands in for it.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly ROOT=$PWD/target/fresh
source scripts/empty-debian.sh
readonly FOLDER=$FRESH_HOME/dbdyno
source scripts/checkout-in-root.sh

if [[ $1 == --enter ]]; then
    enter_root "${@:2}"
fi

make_checkout
run_inside 'a machine with only what README.md names' \
    "apt-get update" "$(packages_command README.md) --yes" "${@/#/make }"
