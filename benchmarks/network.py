"""Networks as a share of the machine's own limit, one thread, GEMM and network in turn.

    python benchmarks/network.py                     eager PyTorch, scaling, memory, training step
    python benchmarks/network.py --engines           also ONNX Runtime, OpenVINO, torch.compile
    python benchmarks/network.py --nets unet nafnet  other networks, eager only

Times are CPU seconds of this process, so that other work on the machine counts less; every figure
is a median. "of theirs" compares with the authors' RaLiFormer, whose 3.3 s at 512² were measured
where GEMM reached 86 GFLOP/s, scaled to the GEMM of this run.
"""

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from semilar.loss.frequency import fft_l1
from semilar.loss.perceptual import perceptual
from semilar.loss.vgg import FeatureSettings, Vgg16
from semilar.net import FlareNet, build, cost
from semilar.net.onnx_export import export
from semilar.threads import nothing_is_reported

THEIRS = {"seconds": 3.3, "training": 4.5, "gigabytes": 0.64, "scaling": 6.3, "gemm": 86.0}
NETS = ("raliformer-t", "raliformer-s", "raliformer", "nafnet-desk", "unet-desk")
Run = Callable[[], object]


def seconds(run: Run, rounds: int = 3) -> float:
    """Median CPU seconds of `run`, after one round that does not count."""
    run()
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def gemm_gflops(side: int = 1536) -> float:
    """Throughput of a float32 matrix product."""
    matrix = torch.rand(side, side)
    return 2 * side**3 / seconds(lambda: matrix @ matrix, rounds=5) / 1e9


def random_picture(side: int) -> torch.Tensor:
    return torch.rand(1, 3, side, side)


def ready(name: str) -> FlareNet:
    return build(name).eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def forward(net: FlareNet, side: int) -> Run:
    picture = random_picture(side)

    @torch.no_grad()
    def run() -> object:
        return net(picture)

    return run


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def peak_gigabytes(run: Run) -> float:
    """How far memory rises above its level before `run`, in GiB, sampled every millisecond."""
    before, done, highest = resident(), threading.Event(), [0]

    def watch() -> None:
        while not done.wait(0.001):
            highest[0] = max(highest[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    run()
    done.set()
    watcher.join()
    return (highest[0] - before) / 2**30


def training_step(net: FlareNet, side: int = 256) -> Run:
    """Both outputs, each with L1, VGG16 perceptual (random weights cost the same) and FFT."""
    net.train()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)
    features = Vgg16(FeatureSettings())
    picture = random_picture(side)

    def run() -> None:
        optimizer.zero_grad()
        terms = [
            0.5 * (output - picture).abs().mean()
            + 0.5 * perceptual(features, output, picture).mean()
            + 0.2 * fft_l1(output, picture).mean()
            for output in net(picture)
        ]
        torch.stack(terms).sum().backward()
        optimizer.step()

    return run


def engines(net: FlareNet, side: int) -> dict[str, Run]:
    """The same network in every engine, one thread each; runs on one picture of `side`."""
    nothing_is_reported()
    import onnxruntime
    import openvino

    picture = random_picture(side).numpy()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.onnx"
        export(net, file)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(file, options)
        model = openvino.Core().compile_model(file, "CPU", {"INFERENCE_NUM_THREADS": 1})
        request = model.create_infer_request()
    compiled = torch.compile(net)
    return {
        "ONNX Runtime": lambda: session.run(None, {"image": picture}),
        "OpenVINO": lambda: np.asarray(request.infer({"image": picture})[0]),
        "torch.compile": forward(compiled, side),  # type: ignore[arg-type]
    }


def eager_line(name: str, side: int, rounds: int) -> None:
    gemm = gemm_gflops()
    taken = seconds(forward(ready(name), side), rounds)
    counted = cost(name, size=(side, side))
    speed = 2 * counted.macs / taken / 1e9
    print(
        f"{name:<16}{counted.parameters / 1e6:8.2f} M{counted.macs / 1e9:8.2f} GMACs"
        f"{taken:8.3f} s{speed:7.1f} GFLOP/s{speed / gemm:7.0%} of GEMM ({gemm:.0f})"
    )


def against_theirs(label: str, ours: float, theirs: float, gemm: float) -> None:
    scaled = theirs * THEIRS["gemm"] / gemm
    print(f"  {label:<34}{ours:7.2f} s, {ours / scaled:.2f} of theirs ({scaled:.2f} s here)")


def raliformer_lines(side: int) -> None:
    """What the paper's size has to reach beside the authors' own implementation."""
    print("raliformer")
    net = ready("raliformer")
    memory = peak_gigabytes(forward(net, side))
    print(f"  {'memory above baseline':<34}{memory:7.2f} GiB (theirs {THEIRS['gigabytes']})")
    gemm, one = gemm_gflops(), seconds(forward(net, side), rounds=3)
    against_theirs(f"eager at {side}²", one, THEIRS["seconds"] * (side / 512) ** 2, gemm)
    four = seconds(forward(net, 2 * side), rounds=1)
    print(f"  {'time of twice the side':<34}{four / one:7.2f} times (theirs {THEIRS['scaling']})")
    step = seconds(training_step(build("raliformer")), rounds=1)
    against_theirs("training step at 256²", step, THEIRS["training"], gemm_gflops())


def engine_lines(name: str, side: int) -> None:
    print(f"{name} in each engine at {side}²")
    for engine, run in engines(ready(name), side).items():
        gemm, taken = gemm_gflops(), seconds(run)
        against_theirs(engine, taken, THEIRS["seconds"] * (side / 512) ** 2, gemm)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--nets", nargs="*", help="only these networks, eager")
    parser.add_argument(
        "--engines", nargs="?", const="raliformer", help="also engines, of this net"
    )
    parser.add_argument("--side", type=int, default=512)
    wanted = parser.parse_args()
    torch.set_num_threads(1)
    names = wanted.nets or [
        "raliformer-t",
        "raliformer-s",
        "raliformer",
        "nafnet-desk",
        "unet-desk",
    ]
    if not wanted.nets:
        raliformer_lines(wanted.side)  # first: memory that others have freed would not be seen
    for name in names:
        eager_line(name, wanted.side, rounds=3)
    if wanted.engines:
        engine_lines(wanted.engines, wanted.side)


if __name__ == "__main__":
    main()
