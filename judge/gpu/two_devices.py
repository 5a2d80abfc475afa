#!/usr/bin/env python3
"""Every submission on the virtual GPU and on a real one, side by side.

usage: judge/gpu/two_devices.py VGPU.json GPU.json
Both files come from `judge verify --json FILE`, one with --device vgpu, one with --device gpu. Prints a Markdown table and
ends with a count of the submissions that got the same verdict in every case.
"""
import json
import sys


def load(path):
    out = {}
    for task in json.load(open(path, encoding="utf-8")):
        for s in task["submissions"]:
            out[task["task"], s["name"]] = s
    return out


def cases(submission):
    return {c["name"]: c["verdict"] for c in submission["cases"]}


def failing(submission):
    counts = {}
    for c in submission["cases"]:
        if c["verdict"] != "AC":
            key = f'{c["verdict"]} {c["reason"]}'
            counts[key] = counts.get(key, 0) + 1
    return ", ".join(f"{k} x{n}" for k, n in sorted(counts.items())) or submission["verdict"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    virtual, real = load(sys.argv[1]), load(sys.argv[2])
    print("| task | submission | virtual GPU | GPU | same verdict in every case |\n|---|---|---|---|---|")
    same = different = left_out = 0
    for key in sorted(virtual):
        task, name = key
        if key not in real:
            left_out += 1
            print(f"| {task} | {name} | {failing(virtual[key])} | - | vgpu-only |")
            continue
        equal = cases(virtual[key]) == cases(real[key])
        same, different = same + equal, different + (not equal)
        note = "yes" if equal else "no: " + ", ".join(n for n, v in cases(virtual[key]).items() if cases(real[key]).get(n) != v)
        print(f"| {task} | {name} | {failing(virtual[key])} | {failing(real[key])} | {note} |")
    print(f"\n{same} the same, {different} different, {left_out} marked vgpu-only and not run on the GPU.")


main()
