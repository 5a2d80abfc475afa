#!/usr/bin/env python3
"""The reference solutions of the row problems beside PyTorch, on the GPU of this machine.

    judge/gpu/bench_rows.py [--only softmax] [--dtype float32] [--no-compiled] [--seconds 0.25] [--json FILE] [--readme README.md]

Needs PyTorch with CUDA and nvcc; runs from any folder. It compiles solutions/*/solution.cu into one shared library (ctypes calls it),
then takes each operator, shape and type in turn:

- *copy*: the best copy of as many bytes among those of `judge bench` (copies.cu). A poor copy would flatter everybody.
- *eager*, *compiled*: PyTorch's own operators, and what torch.compile makes of them, which is Triton where it compiles.
- *ours*: the reference, called through its launch function.

Every one is captured into a CUDA graph of several launches, each on tensors of its own; together they are larger than L2 four times, so
that nothing is found there. The graphs are replayed in turns, so that clock and temperature are the same for all; medians of the replays.
GB/s counts the bytes that must move: every input once in, every output once out. The outputs of ours are compared with PyTorch in float64
(float32 within 1e-5 of the row's largest, bfloat16 within one unit in the last place and a half).

With --readme the table is written between the lines `<!-- bench_rows -->` and `<!-- /bench_rows -->` of that file.
"""
import argparse
import ctypes
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOLUTIONS = ("row-softmax", "layernorm-forward", "fused-add-rmsnorm")
SHAPES = ((4096, 1024), (65536, 128), (16384, 1000), (16384, 4096), (8192, 8192), (4096, 50257), (64, 50000), (1, 152064), (1024, 152064))
EPS = 1e-5
COLD = 4  # times L2 that the tensors of a graph take together
MOST_BYTES = 48 << 30
PER_THREAD_STREAM = ctypes.c_void_p(2)  # cudaStreamPerThread
RELAXED_CAPTURE = 2  # cudaStreamCaptureModeRelaxed
COPIES = {1: "runtime", 2: "scalar", 3: "float4 x 4", 4: "float4 x 8", 5: "streaming", 6: "bulk"}  # numbers of copies.cu
NOT_SUPPORTED = 801  # cudaErrorNotSupported: a copy that this GPU does not have


def build_library(folder, more_flags):
    """One shared library of the references; nvcc's complaint ends the program."""
    major, minor = torch.cuda.get_device_capability()
    library = pathlib.Path(folder) / "librows.so"
    sources = [ROOT / "solutions" / name / "solution.cu" for name in SOLUTIONS] + [ROOT / "judge/gpu" / name for name in ("rows_library.cu", "copies.cu")]
    objects = [pathlib.Path(folder) / f"{index}.o" for index in range(len(sources))]
    flags = ["-std=c++17", "-O3", "-Xcompiler", "-fPIC", "-default-stream", "per-thread", f"-gencode=arch=compute_{major}{minor},code=sm_{major}{minor}", "-I", ROOT, *more_flags]
    compilers = [subprocess.Popen(["nvcc", *map(str, flags), "-c", str(s), "-o", str(o)]) for s, o in zip(sources, objects)]
    if any([compiler.wait() for compiler in compilers]):
        sys.exit("bench_rows: nvcc does not compile the references")
    subprocess.run(["nvcc", "-shared", "-cudart", "shared", *map(str, objects), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def checked(code, what):
    if code != 0:
        sys.exit(f"bench_rows: {what} answers CUDA error {code}")


class Graph:
    """Launches on the per-thread default stream, captured once and replayed."""

    def __init__(self, runtime, launches):
        self.runtime = runtime
        self.count = len(launches)
        graph, self.executable = ctypes.c_void_p(), ctypes.c_void_p()
        for launch in launches[:1]:
            launch()  # what happens once (modules, pools) happens outside
        torch.cuda.synchronize()
        checked(runtime.cudaStreamBeginCapture(PER_THREAD_STREAM, RELAXED_CAPTURE), "cudaStreamBeginCapture")
        for launch in launches:
            launch()
        checked(runtime.cudaStreamEndCapture(PER_THREAD_STREAM, ctypes.byref(graph)), "cudaStreamEndCapture")
        checked(runtime.cudaGraphInstantiate(ctypes.byref(self.executable), graph, ctypes.c_ulonglong(0)), "cudaGraphInstantiate")

    def replay(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        checked(self.runtime.cudaGraphLaunch(self.executable, stream), "cudaGraphLaunch")


class TorchGraph:
    def __init__(self, launches):
        self.count = len(launches)
        self.graph = torch.cuda.CUDAGraph()
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            launches[0]()
        torch.cuda.synchronize()
        with torch.cuda.graph(self.graph):
            # Outputs are kept until all is captured: memory given back would serve the next launch at once, and its writes stay in L2.
            self.outputs = [launch() for launch in launches]

    def replay(self):
        self.graph.replay()


def rms_norm(x, weight):
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, EPS)


def layer_norm(x, weight, bias):
    return torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias, EPS)


def softmax(x):
    return torch.softmax(x, dim=-1)


def add_rms(hidden, residual, weight):
    """In place, as the problem has it: both come back where they were."""
    residual += hidden
    hidden.copy_(rms_norm(residual, weight))


def add_rms_two(hidden, residual, weight):
    """PyTorch's two kernels, the second into a tensor of its own."""
    residual += hidden
    return rms_norm(residual, weight)


class Operator:
    """Tensors of one launch, and who launches on them."""

    def __init__(self, name, library, dtype, rows, cols):
        self.name, self.library, self.dtype, self.rows, self.cols = name, library, dtype, rows, cols
        self.bf16 = int(dtype is torch.bfloat16)
        self.weight = torch.randn(cols, device="cuda").mul_(0.2).add_(1).to(dtype)
        self.bias = torch.randn(cols, device="cuda").mul_(0.1).to(dtype)

    def passes(self):
        """Passes of the matrix that must move."""
        return 4 if self.name == "add+rms" else 2

    def bytes(self):
        return self.passes() * self.rows * self.cols * self.weight.element_size()

    def tensors(self):
        make = lambda: torch.randn(self.rows, self.cols, device="cuda", dtype=torch.float32).to(self.dtype)
        return (make(), make()) if self.name == "add+rms" else (make(), torch.empty(self.rows, self.cols, device="cuda", dtype=self.dtype))

    def ours(self, tensors):
        a, b = map(pointer, tensors)
        if self.name == "softmax":
            code = self.library.rows_softmax(self.bf16, a, b, self.rows, self.cols)
        elif self.name == "layernorm":
            code = self.library.rows_layernorm(self.bf16, a, pointer(self.weight), pointer(self.bias), b, self.rows, self.cols, ctypes.c_float(EPS))
        else:
            code = self.library.rows_fused_add_rmsnorm(self.bf16, a, b, pointer(self.weight), self.rows, self.cols, ctypes.c_float(EPS))
        checked(code, f"our {self.name}")

    def eager(self, tensors):
        a, b = tensors
        if self.name == "softmax":
            return softmax(a)
        if self.name == "layernorm":
            return layer_norm(a, self.weight, self.bias)
        return add_rms_two(a, b, self.weight)

    def compiled(self):
        """PyTorch's compiler on the same; None where it does not compile."""
        torch._dynamo.reset()
        function = {"softmax": softmax, "layernorm": layer_norm, "add+rms": add_rms}[self.name]
        fast = torch.compile(function, dynamic=False)
        more = {"softmax": (), "layernorm": (self.weight, self.bias), "add+rms": (self.weight,)}[self.name]
        inputs = (lambda t: t[:1]) if self.name != "add+rms" else (lambda t: t)
        return lambda tensors: fast(*inputs(tensors), *more)

    def error(self):
        """The largest error of ours on fresh tensors, in units of what is allowed (module docs)."""
        a, b = self.tensors()
        if self.name == "add+rms":
            stored = (a.double() + b.double()).to(self.dtype)
            self.ours((a, b))
            torch.cuda.synchronize()
            if not torch.equal(stored, b):
                return float("inf")
            got, inputs, of = a, stored, lambda x: rms_norm(x.double(), self.weight.double())
        else:
            self.ours((a, b))
            torch.cuda.synchronize()
            got, inputs = b, a
            of = (lambda x: torch.softmax(x.double(), dim=-1)) if self.name == "softmax" else (lambda x: layer_norm(x.double(), self.weight.double(), self.bias.double()))
        worst = 0.0
        step = max(1, (1 << 26) // self.cols)
        for first in range(0, self.rows, step):
            want = of(inputs[first:first + step])
            off = (got[first:first + step].double() - want).abs()
            largest = want.abs().amax(dim=-1, keepdim=True)
            allowed = largest * 1e-5 if not self.bf16 else want.abs() * 2.0**-8 * 1.5 + largest * 1e-5
            ratio = (off / allowed).amax()
            worst = max(worst, float("inf") if bool(ratio.isnan()) else float(ratio))
        return worst


def measure(graphs, seconds):
    """Seconds a launch of each graph: medians of replays that take turns."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def once(graph):
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1e3 / graph.count

    for graph in graphs.values():
        once(graph)
    round_time = sum(once(graph) * graph.count for graph in graphs.values())
    times = {name: [] for name in graphs}
    for _ in range(max(7, int(seconds / round_time))):
        for name, graph in graphs.items():
            times[name].append(once(graph))
    return {name: statistics.median(values) for name, values in times.items()}


def row_of_table(runtime, operator, seconds, compiled):
    cold = COLD * torch.cuda.get_device_properties(0).L2_cache_size
    tensors_bytes = 2 * operator.rows * operator.cols * operator.weight.element_size()
    sets = [operator.tensors() for _ in range(min(max(2, -(-cold // tensors_bytes)), MOST_BYTES // tensors_bytes, 512))]
    graphs = {}
    # A copy's bytes are those of two tensors; what add + RMSNorm moves is twice that.
    one = tensors_bytes // 2 // 16 * 16

    def copy(which, tensors):
        return operator.library.rows_copy(*map(pointer, tensors), ctypes.c_ulonglong(one), which)

    there = [which for which in COPIES if copy(which, sets[0]) != NOT_SUPPORTED]
    for which in there:
        graphs["copy " + COPIES[which]] = Graph(runtime, [lambda s=s, which=which: checked(copy(which, s), "a copy") for s in sets])
    graphs["ours"] = Graph(runtime, [lambda s=s: operator.ours(s) for s in sets])
    graphs["eager"] = TorchGraph([lambda s=s: operator.eager(s) for s in sets])
    if compiled:
        try:
            fast = operator.compiled()
            fast(sets[0])
            graphs["compiled"] = TorchGraph([lambda s=s: fast(s) for s in sets])
        except Exception as problem:  # whatever the compiler says, the other columns stand
            print(f"compiled {operator.name} {operator.rows}x{operator.cols}: {str(problem).splitlines()[0]}", file=sys.stderr)
    times = measure(graphs, seconds)
    moved = {name: tensors_bytes if name.startswith("copy") else operator.bytes() for name in graphs}
    rates = {name: moved[name] / time / 1e9 for name, time in times.items()}
    best = max((COPIES[which] for which in there), key=lambda name: rates["copy " + name])
    return {
        "operator": operator.name, "dtype": str(operator.dtype).split(".")[1], "rows": operator.rows, "cols": operator.cols,
        "copy": rates["copy " + best], "copy kind": best, "ours": rates["ours"], "eager": rates["eager"], "compiled": rates.get("compiled"),
        "microseconds": times["ours"] * 1e6, "share": rates["ours"] / rates["copy " + best], "error": operator.error(),
    }


def table(results):
    lines = ["| operator | type | shape | copy | ours | of copy | eager | compiled | to the faster of both |", "|---|---|---|---|---|---|---|---|---|"]
    for r in results:
        rivals = [r["eager"]] + ([r["compiled"]] if r["compiled"] else [])
        faster = f"{r['ours'] / max(rivals):.2f} times"
        rival = f"{r['compiled']:.0f}" if r["compiled"] else "-"
        lines.append(f"| {r['operator']} | {r['dtype']} | {r['rows']} x {r['cols']} | {r['copy']:.0f} | {r['ours']:.0f} | {r['share']:.2f} | {r['eager']:.0f} | {rival} | {faster} |")
    return "\n".join(lines)


def write_readme(path, text):
    begin, end = "<!-- bench_rows -->", "<!-- /bench_rows -->"
    old = path.read_text()
    if begin not in old or end not in old:
        sys.exit(f"bench_rows: {path} has no lines {begin} and {end}")
    path.write_text(old[: old.index(begin) + len(begin)] + "\n" + text + "\n" + old[old.index(end):])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("softmax", "layernorm", "add+rms"), action="append")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), action="append")
    parser.add_argument("--shape", action="append", help="4096x1024, several times")
    parser.add_argument("--no-compiled", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.25, help="of measuring, a row of the table")
    parser.add_argument("--define", action="append", default=[], metavar="NAME=VALUE", help="a macro for the references, to try a variant")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--readme", type=pathlib.Path)
    chosen = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("bench_rows: PyTorch finds no GPU here")
    shapes = [tuple(map(int, shape.split("x"))) for shape in chosen.shape] if chosen.shape else SHAPES
    results = []
    with tempfile.TemporaryDirectory() as folder:
        library = build_library(folder, [f"-D{define}" for define in chosen.define])
        runtime = library  # it is linked to the runtime, so its functions are found through it
        for name in chosen.only or ("softmax", "layernorm", "add+rms"):
            for dtype in chosen.dtype or ("float32", "bfloat16"):
                for rows, cols in shapes:
                    operator = Operator(name, library, getattr(torch, dtype), rows, cols)
                    result = row_of_table(runtime, operator, chosen.seconds, not chosen.no_compiled)
                    results.append(result)
                    rival = f"{result['compiled']:6.0f}" if result["compiled"] else "     -"
                    print(f"{name:9} {dtype:8} {rows:6}x{cols:<6} copy {result['copy']:5.0f} ({result['copy kind']:>10}) ours {result['ours']:5.0f} ({result['share']:.2f}) "
                          f"eager {result['eager']:5.0f} compiled {rival}  {result['microseconds']:8.1f} us  error {result['error']:.2f}", flush=True)
                    torch.cuda.empty_cache()
    where = f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, PyTorch {torch.__version__}, {datetime.date.today()}"
    text = f"GB/s of the bytes that must move; {where}.\n\n{table(results)}"
    if chosen.json:
        chosen.json.write_text(json.dumps({"machine": where, "rows": results}, indent=1))
    if chosen.readme:
        write_readme(chosen.readme, text)
    if any(r["error"] > 1 for r in results):
        sys.exit("bench_rows: an output of ours is wrong")

if __name__ == "__main__":
    main()
