#!/bin/sh
# Writes recorded.cbor anew, on the host. Needed only when the encoding of commits or the digest changes on purpose.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
swift build --package-path "$folder" --scratch-path "$folder/../../.build/wasm-host" --product RecordLog
"$folder/../../.build/wasm-host/debug/RecordLog" >"$folder/recorded.cbor"
