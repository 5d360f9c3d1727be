#!/usr/bin/env bash
# Runs goals of make, all of them, and then says how each has ended.
#
# Usage: scripts/run-stages.sh GOAL... [beside GOAL...]... [then GOAL... [beside GOAL...]...]...
#
# "setup beside build then lint test beside check" runs setup and build at the same time. When both
# have ended, it runs lint and test, one after the other, and check at the same time as these two.
# A goal that waits, or that uses a single CPU, leaves the rest of the machine to the others.
#
# The output of the last list of a phase is seen as it comes. Of the lists beside it, the output of
# a goal is shown in one piece when the goal has ended.
#
# The exit status is 0 only when all have passed. One that needs what another failed to make fails
# too, and says what is missing. After a failure nothing runs beside anything else any more, because
# two goals would otherwise make what is missing in the same place at the same time.

set -uo pipefail

notes=$(mktemp -d)
mkdir "$notes/ended" "$notes/output"
besides=()

# Ends what still runs beside. Without a group of its own, a job in the background ignores Ctrl-C.
clean_up() {
    local group
    for group in "${besides[@]}"; do
        kill -- "-$group" 2>/dev/null
    done
    rm --recursive --force "$notes"
}
trap clean_up EXIT

# Runs one goal, and writes how it ended for the summary.
run_goal() {
    local goal=$1 began=$SECONDS result=passed
    "${MAKE:-make}" --no-print-directory "$goal" || result=failed
    printf '%-6s %5d s  %s\n' "$result" $((SECONDS - began)) "$goal" >"$notes/ended/$goal"
}

run_list() {
    local goal
    for goal in "$@"; do
        run_goal "$goal"
    done
}

run_list_quietly() {
    local goal
    for goal in "$@"; do
        run_goal "$goal" >"$notes/output/$goal" 2>&1
        cat "$notes/output/$goal"
    done
}

has_failed() {
    grep --quiet --recursive '^failed' "$notes/ended"
}

# Runs the lists of a phase, each of them one argument.
run_phase() {
    local list
    for list in "${@:1:$#-1}"; do
        if has_failed; then
            run_list $list
        else
            set -m
            run_list_quietly $list </dev/null &
            set +m
            besides+=($!)
        fi
    done
    run_list ${!#}
    wait
    besides=()
}

goals=()
lists=('')
for word in "$@" then; do
    case $word in
        beside) lists+=('') ;;
        then) run_phase "${lists[@]}"; lists=('') ;;
        *) lists[-1]+=" $word"; goals+=("$word") ;;
    esac
done

printf '\n== %d stages\n' ${#goals[@]}
for goal in "${goals[@]}"; do
    cat "$notes/ended/$goal"
done
! has_failed
