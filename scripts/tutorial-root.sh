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
source scripts/empty-debian.sh
readonly READER=/home/reader
readonly FOLDER=$READER/dbdyno
source scripts/checkout-in-root.sh

if [[ ${1:-} == --enter ]]; then
    enter_root "${@:2}"
fi

make_checkout
.venv/bin/python -m docs_build.walk docs/tutorial.md >"$ROOT$READER/tutorial.sh"
# Somebody sits there and says yes.
echo 'APT::Get::Assume-Yes "true";' >"$ROOT/etc/apt/apt.conf.d/90yes"
cat >"$ROOT/become-reader.sh" <<'END'
set -euo pipefail
apt-get install --quiet --no-install-recommends sudo >/dev/null
useradd --shell /bin/bash reader
cat >/etc/sudoers.d/reader <<'RULES'
reader ALL=(ALL) NOPASSWD: ALL
Defaults env_keep += "http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY"
RULES
cp --recursive /root/.config /root/.cargo /home/reader/ 2>/dev/null || true
[[ ! -e /etc/pip.conf ]] || chmod a+r /etc/pip.conf
chown --recursive reader:reader /home/reader
END
run_inside 'README.md and the tutorial on an empty machine' \
    "apt-get update" "bash /become-reader.sh" "$(packages_command README.md)" \
    "setpriv --reuid reader --regid reader --init-groups env HOME=$READER USER=reader bash $READER/tutorial.sh"
