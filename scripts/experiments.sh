#!/usr/bin/env bash
# Runs the published tests at their smoke size, from nothing to the reports, and sums up:
#
#     experiments.sh [NAME...]
#
# A NAME is that of a file in experiments/published, without its ending. Results are made anew in
# results/published. Fails where a run did not end with valid trials alone.

set -uo pipefail
cd "$(dirname "$0")/.."
# HAProxy stands there where the system has none.
export PATH=$PATH:$PWD/target/test-servers/galera/bin
readonly RESULTS=results/published
# Of servers that an experiment's own commands start: dbdyno keeps the first from those commands.
DBDYNO_PASSWORD=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
export DBDYNO_PASSWORD STAND_IN_PASSWORD=$DBDYNO_PASSWORD

names=("$@")
if [[ ${#names[@]} -eq 0 ]]; then
    names=(experiments/published/*.yaml)
    names=("${names[@]##*/}")
    names=("${names[@]%.yaml}")
fi

status=0
lines=()
for name in "${names[@]}"; do
    printf '\n== %s\n' "$name"
    rm -rf "${RESULTS:?}/$name"
    began=$SECONDS
    outcome='all trials valid'
    .venv/bin/dbdyno run "experiments/published/$name.yaml" --smoke --out "$RESULTS/$name" || {
        outcome="ended with status $?"
        status=1
    }
    lines+=("$(printf '%5d s  %-32s %s' $((SECONDS - began)) "$name" "$outcome")")
done

printf '\n== %s experiments in %s s; reports are in %s\n' "${#names[@]}" "$SECONDS" "$RESULTS"
printf '%s\n' "${lines[@]}"
exit "$status"
