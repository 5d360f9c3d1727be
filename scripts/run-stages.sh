#!/usr/bin/env bash
# Runs goals of make one after the other, all of them, and then says how each has ended.
#
# Usage: scripts/run-stages.sh GOAL...
#
# The exit status is 0 only when all have passed. One that needs what another failed to make fails
# too, and says what is missing.

set -uo pipefail

summary=()
status=0
for goal in "$@"; do
    began=$SECONDS
    result=passed
    "${MAKE:-make}" --no-print-directory "$goal" || { result=failed; status=1; }
    summary+=("$(printf '%-6s %5d s  %s' "$result" $((SECONDS - began)) "$goal")")
done
printf '\n== %d stages\n' $#
printf '%s\n' "${summary[@]}"
exit $status
