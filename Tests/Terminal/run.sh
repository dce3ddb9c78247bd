#!/bin/bash
# Two people in two terminals: a server and two editors under tmux, driven by keys and mouse reports, judged by what the
# screens show. Waits are for conditions, each bounded. It ends what it started and nothing else.
#
# usage: Tests/Terminal/run.sh [EASEL]        EASEL is the program; .build/debug/easel by default
set -u
cd "$(dirname "$0")/../.." || exit 1
EASEL=$(realpath "${1:-${EASEL:-.build/debug/easel}}")
PATIENCE=${PATIENCE:-15} # seconds a condition may take
SOCKET=easel-test-$$
WORK=$(mktemp -d)
CANVAS=plan
PASSED=0
FAILED=0
FAILURES=
SERVER_PID=

t() { tmux -L "$SOCKET" -f /dev/null "$@"; }

cleanup() {
    t kill-server 2>/dev/null
    [ -n "$SERVER_PID" ] && kill "$SERVER_PID" 2>/dev/null && wait "$SERVER_PID" 2>/dev/null
    rm -rf "$WORK"
}
trap cleanup EXIT

pass() { PASSED=$((PASSED + 1)); echo "ok   $1"; }
fail() {
    FAILED=$((FAILED + 1))
    FAILURES+=$'\n'"FAIL $1"
    echo "FAIL $1"
    for pane in $(t list-sessions -F '#{session_name}' 2>/dev/null); do
        echo "     --- screen of $pane"
        screen $pane | sed 's/^/     |/'
    done
}

screen() { t capture-pane -p -t "$1" 2>/dev/null; }
# The rows of the canvas: without the lines above and below it.
drawing() { screen "$1" | sed -n '2,22p'; }

# wait_until WHAT COMMAND...: passes when the command succeeds in time.
wait_until() {
    local what=$1 end=$((SECONDS + PATIENCE))
    shift
    until "$@"; do
        if [ $SECONDS -ge $end ]; then
            fail "$what"
            return 1
        fi
        sleep 0.05
    done
    pass "$what"
}

shows() { screen "$1" | grep -qF -- "$2"; }
lacks() { ! shows "$1" "$2"; }
both_show() { shows ana "$1" && shows rui "$1"; }
both_lack() { lacks ana "$1" && lacks rui "$1"; }
# Revision and digest as the top line shows them.
state() { screen "$1" | sed -n '1s/.*\(#[0-9]* [0-9a-f]\{8\}\).*/\1/p'; }
same_state() { [ -n "$(state ana)" ] && [ "$(state ana)" = "$(state rui)" ] && both_show stored; }
same_drawing() { same_state && [ "$(drawing ana)" = "$(drawing rui)" ]; }
# Things tmux knows of a pane: alternate screen, mouse reports, visible cursor.
modes() { t display -p -t "$1" '#{alternate_on}#{mouse_any_flag}#{mouse_sgr_flag}#{cursor_flag}'; }
modes_are() { [ "$(modes "$1")" = "$2" ]; }

# The editor is the child of the pane's shell.
editor_pid() { ps -o pid= --ppid "$(t list-panes -t "$1" -F '#{pane_pid}')" | head -1 | tr -d ' '; }

keys() { t send-keys -t "$1" "${@:2}"; }
text() { t send-keys -t "$1" -l -- "$2"; }
# mouse PANE BUTTON COLUMN ROW press|release: an SGR report; cells count from 1. Button 32 is a drag, 64 and 65 the wheel.
mouse() {
    local end=M
    [ "$5" = release ] && end=m
    text "$1" $'\e'"[<$2;$3;$4$end"
}
drag() {
    mouse "$1" 0 "$2" "$3" press
    mouse "$1" 32 $((($2 + $4) / 2)) $((($3 + $5) / 2)) press
    mouse "$1" 32 "$4" "$5" press
    mouse "$1" 0 "$4" "$5" release
}

start_editor() {
    t new-session -d -s "$1" -x 90 -y 24 \
        "env LANG=C.UTF-8 XDG_STATE_HOME='$WORK/state' TERM=$2 COLORTERM=$3 '$EASEL' edit $CANVAS --server $URL --name $1 2>'$WORK/$1.err'; echo left with \$?; exec sleep 1000"
}

listening() {
    URL=$(sed -n 's|.*Listening on \(ws://[^ ]*\).*|\1|p' "$WORK/server.log")
    [ -n "$URL" ]
}

"$EASEL" serve --listen 127.0.0.1:0 --data "$WORK/data" >"$WORK/server.log" 2>&1 &
SERVER_PID=$!
wait_until "the server listens" listening || { cat "$WORK/server.log"; echo "$PASSED passed, $FAILED failed"; exit 1; }

start_editor ana tmux-256color ''
wait_until "ana's editor opens and is up to date" shows ana "stored"
start_editor rui xterm-256color truecolor
wait_until "each sees the other's name" eval 'shows ana rui && shows rui ana'

keys ana r Enter
wait_until "a rectangle made by keys has its name on the undo line" shows ana "u undo: Create Rectangle"
keys ana Enter
text ana "Login 日本"
wait_until "its text is on both screens" both_show "Login 日本"
keys ana Escape Escape
wait_until "both screens show the same drawing, revision and digest" same_drawing

text rui e
drag rui 10 4 30 10
wait_until "an ellipse drawn with the mouse is on both screens" both_show "╭─"
wait_until "undo of it is offered to the one who drew it" shows rui "u undo: Create Ellipse"
wait_until "and not to the other" shows ana "u undo: Type"
wait_until "states are equal" same_state

BEFORE=$(state ana)
mouse rui 0 20 7 press
mouse rui 32 40 15 press
wait_until "a drag under way is seen by the other" shows ana "◂rui"
if [ "$(state ana)" = "$BEFORE" ]; then pass "and commits nothing"; else fail "and commits nothing"; fi
mouse rui 32 44 16 press
mouse rui 0 44 16 release
wait_until "its release is one action" shows rui "u undo: Move Ellipse"
keys rui Escape
keys ana Escape
wait_until "states are equal after the move" same_state
wait_until "both screens show the same drawing after the move" same_drawing

BEFORE=$(state rui)
mouse rui 0 44 16 press
mouse rui 32 20 6 press
keys rui Escape
wait_until "Esc cancels a drag" shows rui "cancelled"
mouse rui 0 20 6 release
keys rui Tab
if [ "$(state rui)" = "$BEFORE" ]; then pass "and leaves no trace"; else fail "and leaves no trace"; fi

keys rui u
wait_until "undo of the move says so" shows rui "undid: Move Ellipse"
keys rui C-r
wait_until "redo brings it back" shows rui "redid: Move Ellipse"
keys ana u
wait_until "the other's undo takes only her own typing" both_lack "Login 日本"
wait_until "and leaves the ellipse" both_show "╭─"
keys ana C-r
wait_until "her redo brings the text back" both_show "Login 日本"
wait_until "and selects the shape it is in" shows ana "◆"

keys ana Escape
wait_until "Esc selects nothing" lacks ana "◆"
keys ana Tab
wait_until "Tab selects" shows ana "◆"
keys ana Enter
text ana "!"
wait_until "typing goes on at the end of the text" both_show "Login 日本!"
keys ana Escape
keys ana x
wait_until "x deletes" both_lack "Login"
keys ana u
wait_until "undo brings the shape back with its text" both_show "Login 日本!"

keys ana C-c
wait_until "Control-C does not end an editor and says what does" shows ana "q leaves"
keys ana Escape Escape
keys rui Escape Escape

keys ana Tab
keys ana c
wait_until "a colour is offered for undo" shows ana "u undo: Recolor Rectangle"
wait_until "states are equal after colouring" same_state
keys rui Tab
keys rui c
wait_until "before the press the editor says over whose colour undo would go" \
    shows ana "u undo: Recolor Rectangle (over rui's colour)"
keys ana Escape
keys ana u
wait_until "and after it over whose it went" shows ana "undid: Recolor Rectangle (over rui's colour)"
wait_until "undo selects what was selected when it was coloured" shows ana "◆"
keys ana C-r
wait_until "redo brings the other's colour back" shows ana "redid: Recolor Rectangle"
wait_until "states are equal after undo and redo over each other" same_state
keys ana Escape Escape
keys rui Escape Escape

t resize-window -t ana -x 35 -y 9
wait_until "a small terminal says so" shows ana "Easel needs 40x12"
t resize-window -t ana -x 90 -y 24
wait_until "and shows everything again when it grows" shows ana "Login 日本!"
wait_until "drawings are equal after resizing" same_drawing

kill -STOP "$SERVER_PID"
text rui n
mouse rui 0 60 3 press
mouse rui 0 60 3 release
text rui "offline"
wait_until "edits are kept and counted while the server does not answer" shows rui "sending"
kill -CONT "$SERVER_PID"
keys rui Escape Escape
wait_until "and arrive when it does" both_show "offline"
wait_until "everything is stored in the end" same_state

"$EASEL" show $CANVAS --server "$URL" >"$WORK/picture" 2>&1
if grep -q "Login 日本!" "$WORK/picture"; then pass "easel show prints the canvas"; else fail "easel show prints the canvas"; cat "$WORK/picture"; fi
"$EASEL" show $CANVAS --server "$URL" --json >"$WORK/json" 2>&1
DIGEST=$(sed -n 's/.*"digest" : "\([0-9a-f]\{8\}\).*/\1/p' "$WORK/json")
if [ -n "$DIGEST" ] && [ "$(state ana | cut -d' ' -f2)" = "$DIGEST" ]; then
    pass "easel show --json has the digest of the screens"
else
    fail "easel show --json has the digest of the screens"
fi

wait_until "the editors use the alternate screen and the mouse" modes_are ana 1110
ANA_PID=$(editor_pid ana)
keys rui q
wait_until "q leaves" shows rui "left with 0"
wait_until "and the terminal is as before" modes_are rui 0001
wait_until "the other sees that rui is gone" lacks ana "rui"
[ -n "$ANA_PID" ] && kill -TERM "$ANA_PID"
wait_until "SIGTERM ends an editor" shows ana "left with 0"
wait_until "with the terminal as before" modes_are ana 0001

# A shell with job control, without colours and with ASCII only.
t new-session -d -s ida -x 90 -y 24 "env LANG=C XDG_STATE_HOME='$WORK/state' PS1='> ' TERM=tmux-256color NO_COLOR=1 bash --norc --noprofile -i"
text ida "'$EASEL' edit $CANVAS --server $URL --name ida"
keys ida Enter
wait_until "an editor without UTF-8 draws in ASCII" shows ida "+~~~"
if t capture-pane -p -e -t ida | grep -q $'\e\[[0-9;]*[34]8[;:]'; then fail "NO_COLOR is kept"; else pass "NO_COLOR is kept"; fi
keys ida C-z
wait_until "Control-Z suspends and leaves a line" shows ida "easel: suspended"
wait_until "with the terminal as the shell wants it" modes_are ida 0001
text ida fg
keys ida Enter
wait_until "fg brings the editor back" modes_are ida 1110
wait_until "with its picture" shows ida "+~~~"
keys ida q
wait_until "and q leaves it for good" modes_are ida 0001

start_editor eva xterm ''
wait_until "an editor that comes later sees everything" shows eva "Login 日本!"
EVA_PID=$(editor_pid eva)
[ -n "$EVA_PID" ] && kill -ABRT "$EVA_PID"
wait_until "a crash ends it" shows eva "left with 134"
wait_until "with the terminal as before the crash" modes_are eva 0001

start_editor uma xterm-256color truecolor
wait_until "an editor sees what the one that crashed saw" shows uma "Login 日本!"
UMA_PID=$(editor_pid uma)
t kill-session -t uma
gone() { ! kill -0 "$1" 2>/dev/null; }
wait_until "an editor whose terminal is closed ends" gone "$UMA_PID"

echo "$PASSED passed, $FAILED failed$FAILURES"
[ "$FAILED" -eq 0 ]
