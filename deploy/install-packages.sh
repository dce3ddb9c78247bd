#!/bin/sh
# Installs the Debian packages that are missing among the arguments. `command:package` is there when the command is,
# wherever it came from.
set -eu

missing=
for wanted in "$@"; do
    package=${wanted#*:}
    if [ "$wanted" != "$package" ] && command -v "${wanted%%:*}" >/dev/null; then continue; fi
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "missing Debian packages:$missing"
refuse() {
    echo "$1 Please install them yourself, then run make again:" >&2
    echo "    apt-get install$missing" >&2
    exit 1
}
command -v apt-get >/dev/null || refuse "This system has no apt-get."
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null; then
    as_root=sudo
    echo "installing them with sudo"
else
    refuse "They can be installed only by root, and there is no sudo here."
fi
# shellcheck disable=SC2086 # both are lists of words
{
    $as_root apt-get update -q &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
} || refuse "apt-get could not install them."
