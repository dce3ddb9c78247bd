#!/bin/sh
# Builds the pure targets in Embedded Swift for wasm and runs digest.mjs on them.
set -eu

folder=$(cd "$(dirname "$0")" && pwd)
scratch="$folder/../../.build/wasm"
triple=wasm32-unknown-none-wasm

command -v swift >/dev/null || { echo "wasm: no swift in PATH; install a Swift 6.3 toolchain" >&2; exit 1; }
command -v node >/dev/null || { echo "wasm: no node in PATH; install Node.js 20 or later" >&2; exit 1; }
[ -e /usr/lib/wasm32-wasi/libc.a ] || { echo "wasm: install Debian's package wasi-libc (make install)" >&2; exit 1; }

resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
tables="$resources/embedded/$triple"
[ -e "$tables/libswiftUnicodeDataTables.a" ] || {
    echo "wasm: this Swift toolchain has no Embedded standard library for $triple ($tables)" >&2
    exit 1
}

# No stack protector: its check calls a runtime function that neither the toolchain nor wasi-libc has for wasm.
swift build --package-path "$folder" --scratch-path "$scratch" --configuration release --triple "$triple" \
    --product EaselWasm \
    -Xswiftc -enable-experimental-feature -Xswiftc Embedded -Xswiftc -wmo \
    -Xswiftc -Xfrontend -Xswiftc -disable-stack-protector \
    -Xlinker "-L$tables"
exec node "$folder/digest.mjs" "$scratch/$triple/release/EaselWasm.wasm" "$folder/recorded.cbor"
