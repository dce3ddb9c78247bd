#!/bin/sh
# A server and two terminal editors on one canvas, in a tmux of its own: demo.sh EASEL
# Detaching (Ctrl-B d) ends the session and throws the canvas away.
set -eu

easel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
port=${EASEL_DEMO_PORT:-8789}
url=ws://127.0.0.1:$port
folder=$(mktemp -d)
session=easel-demo
# Where no locale is set the editors would draw in ASCII.
export LANG="${LANG:-C.UTF-8}"
# The canvas is thrown away, so what the editors keep of it goes with it.
export XDG_STATE_HOME="$folder/state"
# A socket of its own, so that it also works from inside tmux and touches no other session.
tmux() { env -u TMUX tmux -S "$folder/tmux" -f "$folder/tmux.conf" "$@"; }

finish() {
    tmux kill-session -t "$session" 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

cat >"$folder/tmux.conf" <<'END'
set -g mouse on
set -g default-terminal tmux-256color
# With the usual half second, Esc and the key or click after it arrive as one with Alt.
set -s escape-time 10
set -g status-left "Easel "
set -g status-right "Ctrl-B arrow: other editor, Ctrl-B d: end"
set -g status-right-length 60
# A program that fails leaves its message on screen.
set -g remain-on-exit failed
END

quote() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }
program=$(quote "$easel")

tmux new-session -d -s "$session" -x "$(tput cols 2>/dev/null || echo 160)" -y "$(tput lines 2>/dev/null || echo 48)" \
    "$program serve --listen 127.0.0.1:$port --data $(quote "$folder/data")"
# The server keeps the lower fifth; above it the editors share the width.
# They start when the panes have their sizes, so that both show the same part of the canvas.
ana=$(tmux split-window -P -F '#{pane_id}' -v -b -t "$session" -l '80%' "exec cat")
tmux split-window -h -t "$ana" "$program edit welcome --server $url --name Rui"
tmux respawn-pane -k -t "$ana" "$program edit welcome --server $url --name Ana"
tmux select-pane -t "$ana"
tmux attach-session -t "$session"
