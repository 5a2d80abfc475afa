#!/bin/bash
# Measures more.cu and the solutions on the GPU of this machine: needs nvcc and Nsight Compute (ncu). Run it from the root of the
# workbook; the argument is the folder for the raw tables (one a program) and the machine code. collect.py makes solutions.csv and
# more.csv of them.
set -u
out=$1
here=judge/tests/calibration
metrics=$(cat $here/metrics.txt),launch__shared_mem_per_block_dynamic,launch__registers_per_thread,launch__occupancy_limit_blocks,launch__occupancy_limit_registers,launch__occupancy_limit_shared_mem,launch__occupancy_limit_warps,sm__maximum_warps_per_active_cycle_pct
native="-arch=sm_90"
judged="-gencode arch=compute_80,code=compute_80"
mkdir -p "$out/bin" "$out/raw" "$out/sass"

build() {  # name task solution code-options
  nvcc -O3 -std=c++17 -lineinfo -I . $4 "-DWARPBOOK_SOLUTION=\"$3\"" -DWARPBOOK_TASK=$2 -o "$out/bin/$1" $here/solutions.cu || echo "cannot build $1" >&2
}
number_of() {  # the driver's number of a task folder
  case $1 in lessons/02*) echo 2 ;; lessons/05*) echo 5 ;; lessons/06*) echo 6 ;; *) echo 1 ;; esac
}
for solution in lessons/*/solution.cu solutions/*/solution.cu lessons/*/correct/*.cu solutions/*/correct/*.cu; do
  name=$(echo "${solution%.cu}" | tr / +)
  build "$name+sm_90" "$(number_of $solution)" $solution "$native" &
  case $solution in */correct/*) ;; *) build "$name+judged" "$(number_of $solution)" $solution "$judged" & ;; esac
done
nvcc -O3 -lineinfo $native -o "$out/bin/more+sm_90" $here/more.cu &
nvcc -O3 -lineinfo $judged -o "$out/bin/more+judged" $here/more.cu &
wait
for program in "$out"/bin/more+sm_90 "$out"/bin/*solution+sm_90 "$out"/bin/*solution+judged "$out"/bin/more+judged "$out"/bin/*correct*; do
  [ -x "$program" ] || continue
  name=$(basename "$program")
  timeout 120 ncu --clock-control none --csv --page raw --metrics "$metrics" "$program" >"$out/raw/$name.csv" 2>"$out/raw/$name.err" || echo "ncu failed: $name" >&2
  cuobjdump -sass "$program" >"$out/sass/$name.txt" 2>/dev/null
done
