#!/usr/bin/env python3
"""Renders what a command prints on a terminal as an SVG whose lines appear one after another.

usage: .github/record.py OUT.svg COMMAND [ARGUMENTS...]
The command runs on a pseudo terminal of 100 columns, so that it colours its output; times of arrival become times in the picture.
"""
import html
import os
import pty
import re
import sys
import time

COLUMNS = 100
LINE_HEIGHT, CHAR_WIDTH, MARGIN = 18, 8.4, 16
LONGEST_PAUSE = 0.6  # seconds; a compile of two seconds need not be watched
COLOURS = {"0": "#d6deeb", "1": "#ffffff", "2": "#8a94a6", "31": "#ff6b6b", "32": "#7bd88f", "33": "#f2cc60", "34": "#82aaff"}


def record(command):
    """[(seconds, line)] as the lines arrived."""
    lines, buffer, start = [], b"", time.monotonic()
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS))
        os.environ.pop("NO_COLOR", None)
        os.execvp(command[0], command)
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        buffer += data
        while b"\n" in buffer:
            line, buffer = buffer.split(b"\n", 1)
            # A progress bar rewrites its line: only what stands at the end counts.
            text = line.rstrip(b"\r").split(b"\r")[-1].replace(b"\x1b[K", b"").decode(errors="replace")
            lines.append((time.monotonic() - start, text))
    os.waitpid(pid, 0)
    return lines


def spans(line):
    """The line as <tspan>s, one a colour."""
    out, colour = [], COLOURS["0"]
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if code:
            colour = COLOURS.get(code.group(1) or "0", COLOURS["0"])
        elif part:
            out.append(f'<tspan fill="{colour}">{html.escape(part)}</tspan>')
    return "".join(out)


def render(prompt, lines):
    clock, shown, last = 0.8, [(0.0, f"\x1b[32m$\x1b[0m \x1b[1m{prompt}\x1b[0m")], 0.0
    for seconds, line in lines:
        clock += min(seconds - last, LONGEST_PAUSE)
        last = seconds
        shown.append((clock, line))
    width = COLUMNS * CHAR_WIDTH + 2 * MARGIN
    height = len(shown) * LINE_HEIGHT + 2 * MARGIN
    body = []
    for i, (at, line) in enumerate(shown):
        y = MARGIN + (i + 0.8) * LINE_HEIGHT
        body.append(f'<text x="{MARGIN}" y="{y:.1f}" style="animation-delay:{at:.2f}s">{spans(line)}</text>')
    style = ("text{font:14px ui-monospace,Menlo,Consolas,monospace;white-space:pre;opacity:0;animation:show .01s forwards}"
             "@keyframes show{to{opacity:1}}@media (prefers-reduced-motion:reduce){text{opacity:1;animation:none}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" role="img" '
            f'aria-label="terminal recording of {html.escape(prompt)}"><style>{style}</style>'
            f'<rect width="100%" height="100%" rx="8" fill="#1b2330"/>\n' + "\n".join(body) + "\n</svg>\n")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out, command = sys.argv[1], sys.argv[2:]
    with open(out, "w", encoding="utf-8") as f:
        f.write(render(" ".join(command), record(command)))


main()
