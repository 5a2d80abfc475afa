#!/usr/bin/env python3
"""A class of 500 on this machine: what its server answers, how fast, and how often it fails.

Starts a PostgreSQL of its own (Debian's, in a scratch folder) and `judge serve --class` on it, makes the learners and their sessions, opens
a stream of events for each, and then, for a while: wrk asks for pages and API calls as browsers do (mix.lua), this program asks each address
once a second to tell them apart, and one learner a second hands in a kernel whose device blank is another than before, follows the run and
notes when its verdict came.

    judge/serve/load/load.py --build build/unity [--learners 500] [--seconds 60] [--verdicts-per-second 1]

Needs wrk and postgresql from Debian. Ends with status 1 when anything failed.
"""
import argparse
import asyncio
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PASSWORD = "correct horse battery"
TASK = "/api/tasks/05-layernorm"
PROBED = ["/", "/api/session", "/api/workbook", TASK, TASK + "/file", TASK + "/runs", TASK + "/attempts", TASK + "/hints"]


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


async def read_head(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {}
    for line in head[1:]:
        name, _, value = line.partition(": ")
        headers[name.lower()] = value
    return int(head[0].split()[1]), headers


class Server:
    """The server under load; requests are made each on a connection of its own."""

    def __init__(self, port):
        self.port = port

    async def ask(self, method, path, body=None, who=None):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(self.head(method, path, body, who, "close"))
            status, headers = await asyncio.wait_for(read_head(reader), 120)
            return Answer(status, headers, await asyncio.wait_for(reader.read(), 120))
        finally:
            writer.close()

    async def follow(self, path, who):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(self.head("GET", path, None, who, "keep-alive"))
        status, _ = await asyncio.wait_for(read_head(reader), 30)
        return status, reader, writer

    def head(self, method, path, body, who, connection):
        text = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Connection: {connection}"]
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(text)}"]
        if who is not None:
            lines += [f"Cookie: warpbook_session={who['cookie']}", f"X-Warpbook-Token: {who['token']}"]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + text


def signed_in(answer):
    assert answer.status == 200, answer.body
    cookie = answer.headers["set-cookie"].split(";")[0].split("=", 1)[1]
    session = answer.json()
    return {"id": session["person"]["id"], "cookie": cookie, "token": session["token"]}


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def line_of(name, values, unit="ms"):
    return f"  {name:32} {len(values):6}  p50 {percentile(values, .5):8.1f}  p95 {percentile(values, .95):8.1f}  p99 {percentile(values, .99):8.1f} {unit}"


class Scratch:
    """A database, a workbook and a server, gone at the end."""

    def __init__(self, options):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="warpbook-load-"))
        self.options = options
        self.children = []

    def start(self):
        postgres = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        data = self.folder / "pg"
        data.mkdir()
        user = []
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
            shutil.chown(data, 65534, 65534)
            user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
        subprocess.run(user + [postgres / "initdb", "-D", data / "data", "-U", "warpbook", "-A", "trust", "-E", "UTF8", "--locale=C"],
                       check=True, **quiet)
        self.children.append(subprocess.Popen(user + [postgres / "postgres", "-D", data / "data", "-k", data, "-c", "listen_addresses="], **quiet))
        for _ in range(100):
            if subprocess.run([postgres / "createdb", "-h", data, "-U", "warpbook", "warpbook"], **quiet).returncode == 0:
                break
            time.sleep(.1)
        home = self.folder / "home"
        home.mkdir()
        for name in ["lessons", "exercises", "solutions", "common", "judge"]:
            if (ROOT / name).exists():
                os.symlink(ROOT / name, home / name)
        config = {"name": "Load", "database": f"host={data} user=warpbook dbname=warpbook", "work": "work", "port": self.options.port,
                  "jobs": self.options.jobs,
                  "limits": {"requests_per_second": 1000, "runs_per_minute": 1000, "runs_waiting_per_learner": 2}}
        self.config = self.folder / "class.json"
        self.config.write_text(json.dumps(config))
        self.judge = ROOT / self.options.build / "bin" / "judge"
        self.environment = dict(os.environ, WARPBOOK_HOME=str(home))
        link = subprocess.run([self.judge, "serve", "--class", self.config, "--invite", "teacher", "The Teacher"], env=self.environment,
                              check=True, capture_output=True, text=True).stdout.strip()
        self.served = subprocess.Popen([self.judge, "serve", "--class", self.config], env=self.environment, stdout=subprocess.PIPE, text=True)
        assert self.served.stdout.readline().startswith("workbook: ")
        return link.rsplit("/", 1)[1]

    def end(self):
        self.served.send_signal(signal.SIGINT)
        self.served.wait(10)
        for child in self.children:
            child.send_signal(signal.SIGINT)
            child.wait(10)
        shutil.rmtree(self.folder)

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.served.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mib(self):
        for line in pathlib.Path(f"/proc/{self.served.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024


class Load:
    def __init__(self, options, server):
        self.options, self.server = options, server
        self.failures = []
        self.probes = {path: [] for path in PROBED}
        self.begun, self.written, self.verdicts, self.cut = [], [], [], 0

    def fail(self, what):
        self.failures.append(what)

    async def people(self, token):
        teacher = signed_in(await self.server.ask("POST", "/api/invitations/" + token, {"password": PASSWORD}))
        csv = "login,name\n" + "".join(f"learner{i},Learner {i}\n" for i in range(self.options.learners))
        invited = (await self.server.ask("POST", "/api/class/roster", {"csv": csv}, teacher)).json()["invited"]
        some = asyncio.Semaphore(2)  # the server looks at two passwords at a time

        async def come_in(one):
            async with some:
                return signed_in(await self.server.ask("POST", "/api" + one["link"][one["link"].index("/invitations"):], {"password": PASSWORD}))

        return teacher, await asyncio.gather(*map(come_in, invited))

    async def hold_stream(self, who, ended):
        try:
            status, reader, writer = await self.server.follow(TASK + "/file/events", who)
            if status != 200:
                return self.fail(f"stream: {status}")
            while not ended.is_set():
                try:
                    if not await asyncio.wait_for(reader.read(65536), 1):
                        return self.fail("a stream was closed")
                except asyncio.TimeoutError:
                    pass
            writer.close()
        except OSError as error:
            self.fail(f"stream: {error}")

    async def timed(self, into, method, path, body, who):
        start = time.monotonic()
        try:
            answer = await self.server.ask(method, path, body, who)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError) as error:
            return self.fail(f"{method} {path}: {error!r}")
        into.append((time.monotonic() - start) * 1e3)
        if answer.status >= 400:
            self.fail(f"{method} {path}: {answer.status} {answer.body[:200]!r}")
        return answer

    async def probe(self, learners, until):
        while time.monotonic() < until:
            who = random.choice(learners)
            for path in PROBED:
                await self.timed(self.probes[path], "GET", path, None, who)
            await asyncio.sleep(1)

    async def hand_in(self, who, number):
        """Another device blank, so one nvcc -ptx; the host half is the one that everybody has."""
        file = await self.timed([], "GET", TASK + "/file", None, who)
        text = f"  const int attempt = {number};\n  (void)attempt;\n" + self.options.blank
        if file is None or await self.timed(self.written, "PUT", TASK + "/file",
                                            {"base_version": file.json()["version"], "blanks": {"variance": text}}, who) is None:
            return
        start = time.monotonic()
        run = await self.timed(self.begun, "POST", TASK + "/runs", {}, who)
        if run is None or run.status != 202:
            return
        _, reader, writer = await self.server.follow(f"/api/runs/{run.json()['run']}/events", who)
        seen = b""
        while b"event: result" not in seen and b"event: failed" not in seen:
            piece = await reader.read(65536)
            if not piece:
                break
            seen = seen[-20:] + piece
        writer.close()
        if b"event: result" in seen:
            self.verdicts.append((time.monotonic() - start, time.monotonic()))
        elif b"event: failed" in seen:
            self.fail(f"a run failed: {seen[-300:]!r}")

    async def hand_in_steadily(self, learners, until):
        going, number = set(), 0
        order = random.sample(learners, len(learners))
        while time.monotonic() < until:
            task = asyncio.create_task(self.hand_in(order[number % len(order)], number))
            going.add(task)
            task.add_done_callback(going.discard)
            number += 1
            await asyncio.sleep(1 / self.options.verdicts_per_second)
        self.cut = len(going)
        for task in list(going):
            task.cancel()
        return number


async def run(options, scratch, token):
    load = Load(options, Server(options.port))
    start = time.monotonic()
    _, learners = await load.people(token)
    print(f"{len(learners)} learners came in ({time.monotonic() - start:.0f} s: a password each)", flush=True)
    sessions = scratch.folder / "sessions"
    sessions.write_text("".join(f"{one['cookie']} {one['token']}\n" for one in learners))
    await load.hand_in(learners[0], -1)  # what a class compiles once
    load.verdicts.clear()
    ended = asyncio.Event()
    streams = [asyncio.create_task(load.hold_stream(one, ended)) for one in learners]
    await asyncio.sleep(3)
    print(f"{len(streams)} streams of events are open", flush=True)
    before = scratch.processor_seconds()
    until = time.monotonic() + options.seconds
    wrk = await asyncio.create_subprocess_exec(
        "wrk", "-t2", f"-c{options.connections}", f"-d{options.seconds}s", "--timeout", "10s", "-s", str(pathlib.Path(__file__).parent / "mix.lua"),
        f"http://127.0.0.1:{options.port}", "--", str(sessions), str(options.pause_low), str(options.pause_high), stdout=asyncio.subprocess.PIPE)
    probing = asyncio.create_task(load.probe(learners, until))
    handed_in = await load.hand_in_steadily(learners, until)
    await probing
    said = (await wrk.communicate())[0].decode()
    used = scratch.processor_seconds() - before
    ended.set()
    await asyncio.gather(*streams)
    print("\n".join(line for line in said.splitlines() if line.startswith(("asked", "latency", "errors"))))
    print("asked one by one, beside that:")
    for path, values in load.probes.items():
        print(line_of(path, values))
    print(line_of("PUT file", load.written))
    print(line_of("POST runs", load.begun))
    print(f"handed in: {handed_in}; verdicts: {len(load.verdicts)} ({len(load.verdicts) / options.seconds:.2f}/s), not yet judged at the end: {load.cut}")
    print(line_of("click to verdict", [seconds for seconds, _ in load.verdicts], "s"))
    print(f"the server used {used:.1f} s of processor in {options.seconds} s, and has {scratch.memory_mib():.0f} MiB")
    print(f"failures: {len(load.failures)}")
    for failure in load.failures[:10]:
        print("  " + failure)
    if "errors: connect 0, read 0, write 0, timeout 0, status 0" not in said:
        load.fail("wrk saw errors")
    return 1 if load.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/unity")
    parser.add_argument("--learners", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--verdicts-per-second", type=float, default=1)
    parser.add_argument("--connections", type=int, default=500, help="of wrk, each a browser that asks and then waits")
    parser.add_argument("--pause-low", type=int, default=1000, help="a browser waits so many ms at least between two requests")
    parser.add_argument("--pause-high", type=int, default=4000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--port", type=int, default=18787)
    options = parser.parse_args()
    options.blank = "  const float variance = fmaxf(mean_square - mean * mean, 0.0f);\n  const float scale = rsqrtf(variance + eps);\n"
    scratch = Scratch(options)
    try:
        token = scratch.start()
        return asyncio.run(run(options, scratch, token))
    finally:
        scratch.end()


if __name__ == "__main__":
    sys.exit(main())
