#!/bin/sh
# Runs Autobahn|Testsuite against our WebSocket code, plain and over TLS, and fails unless every case passes.
#
# usage: run.sh ECHO_SERVER BUILD_DIR [CASES]
#   ECHO_SERVER  the built echo-server
#   BUILD_DIR    where the test suite is installed once and reports are written
#   CASES        comma-separated patterns of case numbers; all but compression by default
#
# The suite exists for Python 2.7 only; PYTHON27 may name one. Without it the run is skipped with exit code 77.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: $0 ECHO_SERVER BUILD_DIR [CASES]" >&2
    exit 2
fi
server=$1
mkdir -p "$2"
build=$(cd "$2" && pwd)
cases=${3:-*}
here=$(cd "$(dirname "$0")" && pwd)

find_python27() {
    for python in "${PYTHON27:-}" python2.7 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/2.7*/bin/python2.7; do
        if [ -n "$python" ] && "$python" -c 'import sys, ssl, zlib; sys.exit(sys.version_info[:2] != (2, 7))' 2>/dev/null
        then
            command -v "$python"
            return
        fi
    done
}

# The last virtualenv that can make an environment for 2.7 is 20.21; the suite pins everything else it needs.
install_suite() {
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
        --target "$build/virtualenv" 'virtualenv<20.22'
    PYTHONPATH="$build/virtualenv" python3 -m virtualenv --quiet --python "$1" "$build/suite"
    "$build/suite/bin/pip" install --quiet --disable-pip-version-check 'autobahntestsuite==25.10.1' 2>"$build/pip.log" || {
        cat "$build/pip.log" >&2
        exit 1
    }
}

if ! "$build/suite/bin/wstest" --autobahnversion >/dev/null 2>&1; then
    python=$(find_python27)
    if [ -z "$python" ]; then
        echo "skipped: no Python 2.7"
        exit 77
    fi
    install_suite "$python"
fi

pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true' EXIT

# run_cases SCHEME [ARGUMENT...]: every case against a server of its own with these arguments.
run_cases() {
    scheme=$1
    shift
    echo "$scheme:"
    # Emptied here: the server's own redirection may come later than the first look below, which would find the last one's port.
    : >"$build/server.out"
    "$server" --port 0 "$@" >"$build/server.out" 2>"$build/server.err" &
    pid=$!
    port=
    tries=0
    while [ -z "$port" ]; do
        port=$(sed -n 's/^listening on .*://p' "$build/server.out")
        tries=$((tries + 1))
        if [ "$tries" -gt 100 ] || ! kill -0 "$pid" 2>/dev/null; then
            echo "the echo server does not listen" >&2
            cat "$build/server.err" >&2
            exit 1
        fi
        sleep 0.1
    done
    rm -rf "$build/reports-$scheme"
    python3 "$here/report.py" spec "$scheme://127.0.0.1:$port" "$build/reports-$scheme" "$cases" >"$build/spec.json"
    (cd "$build" && suite/bin/wstest --mode fuzzingclient --spec spec.json >wstest.log 2>&1) || {
        tail -20 "$build/wstest.log" >&2
        exit 1
    }
    if ! kill -0 "$pid" 2>/dev/null; then
        echo "the echo server ended during the run" >&2
        cat "$build/server.err" >&2
        exit 1
    fi
    kill "$pid"
    pid=
    python3 "$here/report.py" judge "$build/reports-$scheme"
}

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -keyout "$build/server.key" -out "$build/server.crt" 2>/dev/null
run_cases ws
run_cases wss --tls-cert "$build/server.crt" --tls-key "$build/server.key"
