#!/usr/bin/env bash
# Uses an installed dbdyno as a new user would, from the first call to reports in two languages.
#
# Usage: scripts/try-installed.sh DBDYNO
#
# It takes the files that it needs from the folder that it is in: an experiment, a log, a table. What
# it writes goes into new folders there. The first step that fails ends it.

set -euo pipefail
readonly DBDYNO=$(realpath --no-symlinks "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"

step() {
    printf '\n-- dbdyno %s\n' "$*"
    "$DBDYNO" "$@"
}

# The page names its language, holds its drawings, and asks no other host for anything.
check_page() {
    local page=$1 language=$2 words=$3
    grep --quiet "<html lang=\"$language\"" "$page"
    grep --quiet '<svg' "$page"
    grep --quiet "$words" "$page"
    ! grep --extended-regexp '<(script|link|img)[^>]*(src|href)="https?:' "$page"
}

# Starts the server on any free port, and reads its page of results.
check_served() {
    local output=$1 address= attempt server
    "$DBDYNO" serve . --port 0 >"$output" &
    server=$!
    trap 'kill "$server"' EXIT
    for attempt in {1..100}; do
        address=$(grep --only-matching --max-count=1 'http://[^ ]*' "$output") && break
        sleep 0.2
    done
    "$(dirname "$DBDYNO")/python" -c "
import sys, urllib.request as request
page = request.urlopen(sys.argv[1], timeout=20).read().decode()
sys.exit(None if 'sqlite-journal-mode' in page else 'the page lacks the demo')
" "$address"
}

for compiler in cc gcc clang rustc cargo; do
    ! command -v "$compiler" || { echo "try-installed.sh: $compiler is here" >&2; exit 1; }
done
step --version
step --help
step demo --out demo
step plan first-experiment.yaml
step run first-experiment.yaml --smoke --out first
step report demo --lang en,zh --format html,md
check_page demo/report.html en 'faster'
check_page demo/report.zh.html zh '事务'
step import sysbench-1.0.20-read_write.log --out imported
step report imported
step audit before-after.csv
step compare demo demo --json
step doctor first-experiment.yaml || [[ $? -eq 1 ]]
printf '\n-- dbdyno serve\n'
check_served served.txt
printf '\neverything that was tried works\n'
