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

fail() {
    echo "try-installed.sh: $1" >&2
    exit 1
}

step() {
    printf '\n-- dbdyno %s\n' "$*"
    "$DBDYNO" "$@"
}

# The page is in its language, has drawings, and asks no other host for anything.
check_page() {
    local page=$1 language=$2 heading=$3 part
    for part in "<html lang=\"$language\"" "<h2>$heading" '<svg'; do
        grep --quiet "$part" "$page" || fail "$page lacks $part"
    done
    ! grep --extended-regexp '<(script|link|img)[^>]*(src|href)="?https?:' "$page" ||
        fail "$page is not complete in itself"
}

# Starts the server on any free port, and reads its page of results.
check_served() {
    local output=$1 address= attempt server
    "$DBDYNO" serve . --port 0 >"$output" &
    server=$!
    trap "kill $server" EXIT
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
    ! command -v "$compiler" || fail "$compiler is here"
done
step --version
step --help
step demo --out demo
step plan first-experiment.yaml
step run first-experiment.yaml --smoke --out first
step report demo --lang en,zh --format html,md
check_page demo/report.html en 'What was run'
check_page demo/report.zh.html zh-Hans '运行内容'
step import sysbench-1.0.20-read_write.log --out imported
step report imported
step audit before-after.csv
step compare demo@journal_mode=delete demo@journal_mode=wal
step doctor first-experiment.yaml || [[ $? -eq 1 ]]
printf '\n-- dbdyno serve\n'
check_served served.txt
printf '\neverything that was tried works\n'
