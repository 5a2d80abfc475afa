#!/usr/bin/env python3
"""Makes launches.csv of the raw tables that launches.sh leaves: what Nsight Compute counted for each kernel of each case of the reference
solutions. Launches of one kernel (its name without template arguments, grid, block) in one case are added up, as the judge adds them.
A row of the native build is kept only where it differs from that of the judged build. Tasks without raw tables keep the rows they have, and
a folder may lack the native build. Usage: launches.py RAW-FOLDER"""
import csv
import io
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
LAUNCH = ("launch__",)
METRICS = [m for m in (HERE / "launches.txt").read_text().strip().split(",") if not m.startswith(LAUNCH)]
KEY = ["Task", "Case", "Build", "Kernel", "Grid", "Block"]


def rows(path):
    lines = path.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    return list(csv.DictReader(io.StringIO("\n".join(lines[start:]))))[1:]  # the first row holds units


def plain(name):  # "void <unnamed>::attend<8, 4>(<unnamed>::Heads, int)" -> "attend"
    return name.replace("<unnamed>::", "").removeprefix("void ").split("(")[0].split("<")[0]


def size(text):  # "(256, 1, 1)" -> "256 1 1"
    return text.strip("()").replace(",", "")


def table_of(path, names):
    table, case = {}, -1
    for row in rows(path):
        if row["Kernel Name"].endswith("warpbook_next_case()"):
            case += 1
            continue
        key = (names[case], plain(row["Kernel Name"]), size(row["Grid Size"]), size(row["Block Size"]))
        counts = table.setdefault(key, [0] * len(METRICS))
        for i, metric in enumerate(METRICS):
            counts[i] += int(row[metric].replace(",", ""))
    assert case + 1 == len(names), f"{path}: {case + 1} cases, expected {len(names)}"
    return table


def main(folder):
    measured = {listed.stem for listed in pathlib.Path(folder).glob("*.cases")}
    with open(HERE / "launches.csv", newline="") as file:
        out = [row for row in list(csv.reader(file))[1:] if row[0] not in measured]
    for listed in sorted(pathlib.Path(folder).glob("*.cases")):
        names = [name.removesuffix(".case") for name in listed.read_text().split()]
        judged = table_of(listed.with_name(f"{listed.stem}+judged.csv"), names)
        other = listed.with_name(f"{listed.stem}+sm_90.csv")
        native = table_of(other, names) if other.exists() else judged
        for key, counts in judged.items():
            out.append([listed.stem, key[0], "judged", *key[1:], *counts])
            if native.get(key) != counts:
                out.append([listed.stem, key[0], "sm_90", *key[1:], *native.get(key, [0] * len(METRICS))])
    out.sort(key=lambda row: row[0])  # stable: cases stay in the order in which they ran
    with open(HERE / "launches.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(KEY + METRICS)
        writer.writerows(out)
    print(len(out), "rows")


main(sys.argv[1])
