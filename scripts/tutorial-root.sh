#!/usr/bin/env bash
# Follows README.md and the tutorial on an empty machine, as a new user would.
#
# Usage: scripts/tutorial-root.sh
#
# It makes an empty Debian in target/fresh-tutorial with a user who may use sudo, installs the
# packages that README.md names, and runs each command of docs/tutorial.md as that user, in the
# checkout of the last commit, up to the first that fails. Rust is that of this machine, as in
# fresh-root.sh.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly ROOT=$PWD/target/fresh-tutorial
FRESH_HOME=/srv/reader
source scripts/empty-debian.sh
readonly FOLDER=$FRESH_HOME/dbdyno
source scripts/checkout-in-root.sh

if [[ ${1:-} == --enter ]]; then
    enter_root "${@:2}"
fi

make_checkout
.venv/bin/python -m docs_build.walk docs/tutorial.md >"$ROOT$FRESH_HOME/tutorial.sh"
# Somebody sits there and says yes.
echo 'APT::Get::Assume-Yes "true";' >"$ROOT/etc/apt/apt.conf.d/90yes"
cat >"$ROOT/become-reader.sh" <<'END'
set -euo pipefail
apt-get install --quiet --no-install-recommends sudo >/dev/null
useradd --home-dir "$HOME" --shell /bin/bash reader
cat >/etc/sudoers.d/reader <<'RULES'
reader ALL=(ALL) NOPASSWD: ALL
Defaults env_keep += "http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY"
RULES
[[ ! -e /etc/pip.conf ]] || chmod a+r /etc/pip.conf
chown --recursive reader:reader "$HOME"
END
run_inside 'README.md and the tutorial on an empty machine' \
    "apt-get update" "bash /become-reader.sh" "$(packages_command README.md)" \
    "setpriv --reuid reader --regid reader --init-groups bash $FRESH_HOME/tutorial.sh"
