#!/usr/bin/env bash
# Brings the catalogues of the languages of reports and pages up to the messages in the code. What has no
# translation yet is left empty; what nobody says any more goes.
#
# Usage: scripts/update-catalogue.sh

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

template=$(mktemp)
trap 'rm --force "$template"' EXIT
.venv/bin/pybabel --quiet extract --no-default-keywords --keywords 'say message say_count:1,2 messages:1,2' \
    --no-location --omit-header --output-file "$template" python/dbdyno/report python/dbdyno/serve
for catalogue in python/dbdyno/report/catalogue/*.po; do
    .venv/bin/pybabel --quiet update --no-fuzzy-matching --ignore-obsolete --omit-header \
        --no-wrap --locale "$(basename "$catalogue" .po)" --input-file "$template" \
        --output-file "$catalogue"
done
