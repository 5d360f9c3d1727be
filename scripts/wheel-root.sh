#!/usr/bin/env bash
# Installs and uses the wheel on a machine that has Python and no compiler.
#
# Usage: scripts/wheel-root.sh
#
# It makes an empty Debian in target/fresh-wheel, installs the package that docs/install.md names
# there, by the very command that stands in it, and the wheel that `make wheel` has built. Then it
# runs scripts/try-installed.sh: nothing of the sources is there but what a user may have.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly ROOT=$PWD/target/fresh-wheel
source scripts/empty-debian.sh
readonly FOLDER=$FRESH_HOME
readonly MORE_PATH=

if [[ ${1:-} == --enter ]]; then
    enter_root "${@:2}"
fi

check_machine
[[ -n $(packages_command docs/install.md) ]] ||
    refuse 'docs/install.md has no line "sudo apt-get install ..."'
wheels=(target/wheels/dbdyno-*.whl)
[[ ${#wheels[@]} -eq 1 && -e ${wheels[0]} ]] ||
    refuse "one wheel is expected in target/wheels, found: ${wheels[*]}; make clean wheel"
trap remove_root EXIT
make_root
cp "${wheels[0]}" scripts/try-installed.sh experiments/first-experiment.yaml \
    tests/data/imports/sysbench-1.0.20-read_write.log tests/data/results-tables/before-after.csv \
    "$ROOT$FOLDER"
run_inside 'a machine with Python and no compiler' \
    "apt-get update" "$(packages_command docs/install.md) --yes" \
    "python3 -m venv dbdyno" "dbdyno/bin/pip install --quiet $(basename "${wheels[0]}")" \
    "bash try-installed.sh dbdyno/bin/dbdyno"
