#!/usr/bin/env bash
# Builds the wheel: for CPython 3.11 and later, and for Linux with glibc 2.28 and later.
#
# Usage: scripts/build-wheel.sh PYTHON FOLDER
#
# The wheel is written into FOLDER, and the wheels there before are removed. Maturin and Zig come
# into an environment of their own, for which requirements-wheel.lock says which. Zig links: it knows
# the symbols of every glibc, while the linker of this system would bind the wheel to the glibc here.
# Maturin looks at what the extension really needs, and refuses to call it manylinux_2_28 otherwise.

set -euo pipefail
mkdir --parents "$2"
readonly PYTHON=$1 WHEELS=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly ENVIRONMENT=target/wheel-environment
readonly LOCK=requirements-wheel.lock

if [[ ! $ENVIRONMENT/requirements.stamp -nt $LOCK ]]; then
    "$PYTHON" -m venv --clear "$ENVIRONMENT"
    "$ENVIRONMENT/bin/pip" install --quiet --require-hashes --requirement "$LOCK"
    touch "$ENVIRONMENT/requirements.stamp"
fi
rm --force "$WHEELS"/dbdyno-*.whl
# An extension for the stable ABI is built for no interpreter in particular.
unset VIRTUAL_ENV PYO3_PYTHON
export PATH=$PWD/$ENVIRONMENT/bin:$PATH
# Lines and names of functions, of which profilers and debuggers tell, are four fifths of the extension.
maturin build --release --strip --locked --zig --compatibility manylinux_2_28 --out "$WHEELS"
