#!/usr/bin/env bash
# A job for any build server: does this build make the database slower?
#
#   docs/ci/compare.sh EXPERIMENT.yaml BASELINE_RESULT
#
# EXPERIMENT.yaml measures the build of this job. BASELINE_RESULT is the result directory of the build
# that it is held against: keep it with the artefacts of that build, or of the last release. Where there
# is none yet, this run becomes it.
#
# Exit status: 0 no regression is shown, 1 something could not be measured or judged, 2 the call is wrong
# or the two cannot be compared, 3 a regression. Beside the result lie rules.xml for the build server's
# list of tests, and the report of the comparison.
#
# RULES has a rule in each line. AGAIN names a second run of the baseline's build, if you have one: it
# shows whether runs of this machine are alike enough for the rules.

set -euo pipefail

experiment=$1
baseline=$2
result=${RESULT:-results/this-build}
rules=${RULES:-$'throughput worse by 5 %\np95 worse by 10 %'}

if [[ -e $result ]]; then
    # A run that is complete is not run again: the figures would be those of an earlier build.
    echo "$result exists, perhaps of an earlier build: move it away, or name another with RESULT=." >&2
    exit 2
fi
dbdyno run "$experiment" --out "$result"

if [[ ! -e $baseline ]]; then
    mkdir -p "$(dirname "$baseline")"
    cp -r "$result" "$baseline"
    echo "There was no baseline: this run is the baseline from now on."
    exit 0
fi

options=(--junit "$result/rules.xml" --report "$result/comparison")
while IFS= read -r rule; do
    [[ -z $rule ]] || options+=(--fail-if "$rule")
done <<<"$rules"
[[ -z ${AGAIN:-} ]] || options+=(--again "$AGAIN")

dbdyno compare "$baseline" "$result" "${options[@]}"
