#!/usr/bin/env python3
"""Makes more.csv and solutions.csv of the raw tables that measure.sh leaves: one row a launch, and only columns that do not depend on the
machine's temper. Usage: collect.py RAW-FOLDER (…/raw)"""
import csv
import io
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
METRICS = [m for m in (HERE / "metrics.txt").read_text().strip().split(",") if not m.startswith(("dram__", "lts__"))]
LAUNCH = ["launch__shared_mem_per_block_dynamic", "launch__shared_mem_per_block_static", "launch__registers_per_thread", "launch__occupancy_limit_blocks",
          "launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps", "sm__maximum_warps_per_active_cycle_pct"]


def rows(path):
    lines = path.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    return list(csv.DictReader(io.StringIO("\n".join(lines[start:]))))[1:]  # the first row holds units


def plain(text):
    return text.replace(",", "") if text.replace(",", "").replace(".", "").isdigit() else text


def size(text):  # "(256, 1, 1)" -> "256 1 1"
    return text.strip("()").replace(",", "")


def write(name, table, columns):
    with open(HERE / name, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        for row in table:
            writer.writerow([row[c] for c in columns])
    print(name, len(table), "rows")


def main(folder):
    more, solutions = [], []
    for path in sorted(pathlib.Path(folder).glob("*.csv")):
        program, build = path.stem.rsplit("+", 1)
        for row in rows(path):
            out = {k: plain(row[k]) for k in METRICS + LAUNCH}
            out |= {"Program": program.replace("+", "/") + ".cu", "Build": build, "Kernel Name": row["Kernel Name"], "Block Size": size(row["Block Size"]),
                    "Grid Size": size(row["Grid Size"])}
            if program == "more":
                if build == "sm_90":
                    more.append(out)
            else:
                solutions.append(out)
    write("more.csv", more, ["Kernel Name"] + METRICS)
    write("solutions.csv", solutions, ["Program", "Build", "Kernel Name", "Grid Size", "Block Size"] + LAUNCH + METRICS)


main(sys.argv[1])
