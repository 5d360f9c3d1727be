#!/usr/bin/env bash
# Writes requirements.lock from pyproject.toml, and requirements-wheel.lock, which is what builds a
# wheel, from requirements-wheel.in: exact versions with hashes, and no addresses, so that they hold
# wherever packages are fetched from. pip-tools runs in an environment of its own.
#
# Usage: scripts/lock-requirements.sh PYTHON

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

lock() {
    "$environment/bin/pip-compile" --quiet --generate-hashes --strip-extras --allow-unsafe \
        --no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host "$@"
}

environment=$(mktemp --directory)
trap 'rm --recursive --force "$environment"' EXIT
"$1" -m venv "$environment"
"$environment/bin/pip" install --quiet 'pip-tools>=7.5,<8'
lock --extra dev --extra pdf --output-file requirements.lock pyproject.toml
lock --constraint requirements.lock --output-file requirements-wheel.lock requirements-wheel.in
