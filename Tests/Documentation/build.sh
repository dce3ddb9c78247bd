#!/bin/sh
# Makes the documentation of the modules that an application sees: build.sh BUILD-FOLDER OUTPUT-FOLDER
# Fails where a public symbol has no comment, a list of parameters is not complete or a link leads nowhere.
set -eu

build=$1
output=$2
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../Sources
# Each may link to those in front of it.
modules="EaselCore EaselProtocol EaselClientEngine EaselClient"

command -v docc >/dev/null || {
    echo "docs: no docc in PATH; it is part of the Swift toolchain, beside swift" >&2
    exit 1
}
triple=$(swift -print-target-info | sed -n 's/.*"triple": "\([^"]*\)".*/\1/p' | head -n 1)
rm -rf "$output"

set --
for module in $modules; do
    symbols=$output/symbols/$module
    mkdir -p "$symbols"
    swift symbolgraph-extract -module-name "$module" -target "$triple" -minimum-access-level public \
        -skip-synthesized-members -output-dir "$symbols" \
        -I "$build/Modules" -I "$sources/CWebSockets" -I "$sources/COpenSSL"
done
python3 -B "$here/undocumented.py" "$output/symbols"

for module in $modules; do
    catalog=$sources/$module/$module.docc
    [ -d "$catalog" ] || catalog=
    # Other modules are named from the root, as ``/EaselCore/Canvas``: links between archives know no other way.
    docc convert $catalog --additional-symbol-graph-dir "$output/symbols/$module" --output-path "$output/$module.doccarchive" \
        --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
        --enable-experimental-external-link-support "$@" --warnings-as-errors
    set -- "$@" --dependency "$output/$module.doccarchive"
done

archives=
for module in $modules; do archives="$archives $output/$module.doccarchive"; done
docc merge $archives --synthesized-landing-page-name Easel --output-path "$output/Easel.doccarchive"

echo "docs: $output/Easel.doccarchive. To read it:"
echo "    python3 -m http.server --bind 127.0.0.1 --directory $output/Easel.doccarchive 8080"
echo "    http://127.0.0.1:8080/documentation/easelclient/undowithothers"
