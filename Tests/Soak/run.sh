#!/bin/sh
# Plays random histories on every core and checks all laws of undo and convergence on each.
#
#     run.sh PROGRAM FOLDER
#
# SOAK_RUNS histories (1,000,000) of SOAK_STEPS steps (50) from SOAK_SEED on (1). A history that breaks a law is made smaller
# and written to FOLDER as a scenario. Exit code 1 if there is one.
set -eu
program=$1
folder=$2
runs=${SOAK_RUNS:-1000000}
steps=${SOAK_STEPS:-50}
seed=${SOAK_SEED:-1}
cores=$(nproc)
each=$(((runs + cores - 1) / cores))
mkdir -p "$folder"
rm -f "$folder"/*.log
echo "$runs histories of $steps steps, $each in each of $cores processes; what they say is in $folder"
processes=
core=0
while [ "$core" -lt "$cores" ]; do
    "$program" play --random --seed $((seed + core * each)) --runs "$each" --steps "$steps" --save "$folder" \
        >"$folder/$core.log" 2>&1 &
    processes="$processes $!"
    core=$((core + 1))
done
status=0
for process in $processes; do wait "$process" || status=1; done
tail -q -n 2 "$folder"/*.log
exit $status
