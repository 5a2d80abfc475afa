#!/bin/bash
# Measures every case of every reference solution on the GPU of this machine: needs a built judge, nvcc and Nsight Compute (ncu). Run it
# from the root of the workbook: launches.sh FOLDER JUDGE [SECONDS]. It leaves FOLDER/raw/TASK+BUILD.csv; launches.py makes launches.csv
# of them. BUILD is `judged` (compute_80 PTX, assembled by the driver, as the judge compiles) or sm_90 (native code).
# Stops by itself after SECONDS and says what is missing.
set -u
out=$1 judge=$2 limit=${3:-3000}
here=judge/tests/calibration
metrics=$(cat $here/launches.txt)
mkdir -p "$out/raw" "$out/programs"
tasks=$("$judge" list --json | python3 -c 'import json, sys; print(*[t["id"] for t in json.load(sys.stdin)["tasks"]])') || exit 1

prepare() {  # task
  "$judge" export "$1" --solution --to "$out/programs/$1" >/dev/null || return
  nvcc -std=c++17 -O3 -lineinfo -gencode arch=compute_80,code=compute_80 -I . -o "$out/programs/$1/judged" "$out/programs/$1/main.cu"
  nvcc -std=c++17 -O3 -lineinfo -arch=sm_90 -I . -o "$out/programs/$1/sm_90" "$out/programs/$1/main.cu"
}
export -f prepare
export judge out
printf '%s\n' $tasks | xargs -P "$(nproc)" -I {} bash -c 'prepare {}' 2>"$out/build.err"
for build in judged sm_90; do
  for task in $tasks; do
    [ -s "$out/raw/$task+$build.csv" ] && continue
    [ "$SECONDS" -lt "$limit" ] || { echo "no time left for $task+$build"; continue; }
    folder=$out/programs/$task
    (cd "$folder" && timeout 120 ncu --clock-control none --csv --page raw --metrics "$metrics" "./$build" *.case) >"$out/raw/$task+$build.csv" 2>"$out/raw/$task+$build.err" ||
      echo "ncu failed: $task+$build"
    (cd "$folder" && ls *.case) >"$out/raw/$task.cases"
  done
done
echo "$(ls "$out"/raw/*.csv | wc -l) tables in $SECONDS s"
