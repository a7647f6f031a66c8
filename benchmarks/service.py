"""The service under load: 64 clients on loopback, for a minute.

Prints what was answered how often and how fast, the memory of the service over time, and how many
photos a second it restores in relation to the bare Python session, run in turn on the same cores.
Every picture that comes back is compared with what `semilar remove` writes, byte for byte.

    python benchmarks/service.py [--seconds 60] [--clients 64] [--model FILE]
"""

import argparse
import asyncio
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from semilar.threads import one_thread_for_algebra

JOBS, QUEUE = 2, 16
SIZES = ((240, 320), (360, 480), (300, 533), (480, 360))
WARM_UP = 15.0
SEMILAR = "import sys; from semilar.cli.main import run; sys.argv[0] = 'semilar'; run()"


@dataclass
class Tally:
    """What the clients saw."""

    answers: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    jobs: list[float] = field(default_factory=list)  # seconds of work, waiting not counted
    memory: list[tuple[float, float]] = field(default_factory=list)
    wrong: int = 0


def main() -> None:
    one_thread_for_algebra()  # as the service does, before NumPy is loaded
    parser = argparse.ArgumentParser(description="The service under load.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--model", default="semilar-t")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pairs = restored_by_command(Path(folder), chosen.model)
    bare = bare_rate([before for before, _ in pairs], chosen.model)
    port = free_port()
    process = start(chosen.model, port)
    try:
        tally = asyncio.run(load(pairs, port, process.pid, chosen.clients, chosen.seconds))
    finally:
        process.send_signal(signal.SIGTERM)
        ended = process.wait(60)
    report(tally, chosen.seconds, bare, ended)


def restored_by_command(folder: Path, model: str) -> list[tuple[bytes, bytes]]:
    """(photo, the same photo after `semilar remove`), as the bytes of JPEG files."""
    from PIL import Image

    from semilar.flare.scene import night_scene

    names = []
    for seed, size in enumerate(SIZES):
        names.append(f"{seed}.jpg")
        Image.fromarray(night_scene(seed, size)).save(folder / names[-1], quality=92)
    command = [sys.executable, "-c", SEMILAR, "-q", "remove", *names, "-o", "clean/"]
    subprocess.run([*command, "--model", model], cwd=folder, check=True, stdout=subprocess.PIPE)
    return [((folder / one).read_bytes(), (folder / "clean" / one).read_bytes()) for one in names]


def bare_rate(files: list[bytes], model: str, seconds: float = 8.0) -> float:
    """Photos a second of the Python session in as many threads as the service has."""
    from semilar import photo
    from semilar.restore import Remover

    remover = Remover(model=model, threads=1)

    def work(content: bytes) -> None:
        photo.encode(remover.remove(photo.read(content)).image)

    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(work, files))
        started, done = time.perf_counter(), 0
        while time.perf_counter() - started < seconds:
            done += len(list(pool.map(work, files)))
        return done / (time.perf_counter() - started)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(model: str, port: int) -> subprocess.Popen[bytes]:
    """The service in a process of its own, as a user starts it."""
    limits = ["--workers", str(JOBS), "--queue", str(QUEUE), "--rate", "0", "--threads", "1"]
    command = [sys.executable, "-c", SEMILAR, "-q", "serve", "--model", model, "--port", str(port)]
    process = subprocess.Popen([*command, *limits])
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.1)
    raise SystemExit("the service did not start")


async def load(
    pairs: list[tuple[bytes, bytes]], port: int, pid: int, clients: int, seconds: float
) -> Tally:
    """Everybody at once until the time is over."""
    tally, end = Tally(), time.monotonic() + seconds
    asking = [client(pairs[k % len(pairs)], port, end, tally) for k in range(clients)]
    await asyncio.gather(watch(pid, end, tally), *asking)
    return tally


async def client(pair: tuple[bytes, bytes], port: int, end: float, tally: Tally) -> None:
    """Send the photo again and again; wait when told to."""
    before, after = pair
    head = f"POST /v1/remove HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(before)}\r\n"
    request = f"{head}Content-Type: image/jpeg\r\n\r\n".encode() + before
    while time.monotonic() < end:
        started = time.monotonic()
        try:
            status, headers, body = await ask(port, request)
        except (OSError, asyncio.IncompleteReadError, IndexError) as error:
            tally.answers[type(error).__name__] += 1
            continue
        tally.answers[status] += 1
        if status == "200":
            tally.seconds.append(time.monotonic() - started)
            steps = re.findall(r"(\w+);dur=([0-9.]+)", headers["server-timing"])
            tally.jobs.append(sum(float(took) for step, took in steps if step != "queue") / 1000)
            tally.wrong += body != after
        else:
            await asyncio.sleep(float(headers.get("retry-after", 1)))


async def ask(port: int, request: bytes) -> tuple[str, dict[str, str], bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        await writer.drain()
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers["content-length"]))
        return lines[0].split()[1], headers, body
    finally:
        writer.close()


async def watch(pid: int, end: float, tally: Tally) -> None:
    process, started = psutil.Process(pid), time.monotonic()
    while time.monotonic() < end:
        used = process.memory_info().rss / 2**20
        tally.memory.append((time.monotonic() - started, used))
        await asyncio.sleep(0.5)


def report(tally: Tally, seconds: float, bare: float, ended: int) -> None:
    """Everything in plain lines."""
    answers = ", ".join(f"{count} x {one}" for one, count in sorted(tally.answers.items()))
    print(f"answers        {answers}")
    done = len(tally.seconds)
    print(f"wrong pictures {tally.wrong} of {done} differ from semilar remove")
    middle, slow = (statistics.quantiles(tally.seconds, n=100)[k] for k in (49, 98))
    # Whoever takes the last place waits until the jobs of all places are done.
    bound = (QUEUE + JOBS) / JOBS * statistics.quantiles(tally.jobs, n=100)[98]
    print(f"latency        p50 {middle:.2f} s, p99 {slow:.2f} s; bound by the queue {bound:.2f} s")
    rate = done / seconds
    print(f"throughput     {rate:.2f} photos/s, {rate / bare:.2f} of the bare session")
    warm = [used for at, used in tally.memory if WARM_UP <= at < WARM_UP + 10]
    last = [used for at, used in tally.memory if at >= seconds - 10]
    if warm and last:
        first, final = statistics.median(warm), statistics.median(last)
        print(
            f"memory         {first:.0f} MiB warm, {final:.0f} MiB at last, x {final / first:.3f}"
        )
    print(f"exit status    {ended} after SIGTERM")


if __name__ == "__main__":
    main()
