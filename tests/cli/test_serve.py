"""`semilar serve` as a person starts and stops it."""

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from PIL import Image
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.cli.serve import _token
from tests.support.command import semilar
from tests.support.models import dimming_model
from tests.support.pictures import camera_exif, file_bytes, smooth_picture

PHOTO = file_bytes(
    Image.fromarray(smooth_picture(300, 400)), "JPEG", quality=92, exif=camera_exif(6)
)
_START = "import sys; from semilar.cli.main import run; sys.argv[0] = 'semilar'; run()"


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return dimming_model(tmp_path_factory.mktemp("model") / "dim.onnx")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(
    model: Path, *options: str, quiet: bool = False
) -> Iterator[tuple[subprocess.Popen, str]]:
    """A started service and its address; ended at the end if it still runs."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    arguments = [
        *(["-q"] if quiet else []),
        "serve",
        "--model",
        str(model),
        "--port",
        str(port),
        *options,
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", _START, *arguments], stderr=subprocess.PIPE, text=True
    )
    try:
        until(lambda: answers(url), process)
        yield process, url
    finally:
        if process.poll() is None:  # workers that outlive it would hold its standard error open
            for one in (*psutil.Process(process.pid).children(), process):
                one.kill()
        process.communicate()


def serving(process: subprocess.Popen) -> list[psutil.Process]:
    """The processes that answer requests; a parent has helpers besides."""
    children = psutil.Process(process.pid).children()
    return [one for one in children if "spawn_main" in " ".join(one.cmdline())]


def answers(url: str) -> bool:
    with contextlib.suppress(OSError):
        return "ready" in get(f"{url}/readyz")
    return False


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


def until(condition, process: subprocess.Popen, seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


@pytest.mark.posix
def test_the_bytes_are_those_of_semilar_remove(model, tmp_path):
    (tmp_path / "street.jpg").write_bytes(PHOTO)
    options = ("--strength", "0.35", "--model", model)
    done = semilar("remove", "street.jpg", "-o", "clean.jpg", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with running(model) as (process, url):
        form = {"files": {"photo": ("street.jpg", PHOTO)}, "data": {"strength": "0.35"}}
        answer = httpx.post(f"{url}/v1/remove", **form, timeout=60)
        assert answer.status_code == 200
        assert answer.content == (tmp_path / "clean.jpg").read_bytes()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_sigterm_lets_the_running_job_finish(model):
    slow = file_bytes(Image.fromarray(smooth_picture(1200, 1800)), "PNG", compress_level=1)
    with running(model, "--rate", "0") as (process, url):
        got: list[httpx.Response] = []
        ask = threading.Thread(
            target=lambda: got.append(httpx.post(f"{url}/v1/remove", content=slow, timeout=120))
        )
        ask.start()
        until(lambda: running_line(url).endswith(" 1.0"), process)
        process.terminate()
        ask.join(120)
        assert got[0].status_code == 200
        assert process.wait(60) == 0


def running_line(url: str) -> str:
    lines = get(f"{url}/metrics").splitlines()
    return next(line for line in lines if line.startswith("semilar_jobs_running "))


@pytest.mark.posix
@pytest.mark.slow
def test_workers_are_replaced_without_a_pause(model):
    with running(model, "--processes", "2", "--rate", "0", quiet=True) as (process, url):

        def workers() -> set[int]:
            return {one.pid for one in serving(process)}

        before = workers()
        process.send_signal(signal.SIGHUP)
        refused, end = 0, time.monotonic() + 90
        while before & workers() and time.monotonic() < end:
            refused += httpx.post(f"{url}/v1/remove", content=PHOTO, timeout=60).status_code != 200
        assert not before & workers()
        assert refused == 0
        process.terminate()
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--model", "nothing.onnx"], "nothing.onnx: there is no such file."),
        (["--model", "no-such-model"], "No model is called 'no-such-model'"),
        (["--formats", "exe"], "EXE is not a known format"),
        (["--max-megabytes", "0"], "body bytes"),
        (["--host", "0.0.0.0"], "give a token (--token-file FILE or $SEMILAR_TOKEN), or --public"),
        (["--host", "::"], "can be reached from other computers"),
        (["--cors", "example.org"], "write it as https://example.org."),
        (["--allow-host", "https://example.org"], "write it as example.org."),
        (["--token-file", "nothing.txt"], "nothing.txt: cannot be read"),
        (["--engine", "abacus", "--model", "MODEL"], "abacus: no such engine"),
    ],
)
def test_what_cannot_work_is_said_in_one_line(options, says, model, tmp_path, monkeypatch):
    options = [str(model) if one == "MODEL" else one for one in options]
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SEMILAR_TOKEN", raising=False)
    monkeypatch.setattr("uvicorn.run", lambda *_, **__: pytest.fail("it listens all the same"))
    done = CliRunner().invoke(app, ["serve", "--port", str(free_port()), *options])
    assert done.exit_code == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "host", "status"),
    [
        (["--public"], "anything.example", 200),
        (["--public", "--allow-host", "flare.example"], "flare.example:8000", 200),
        (["--public", "--allow-host", "flare.example"], "anything.example", 400),
        (["--public", "--allow-host", "flare.example"], "localhost", 200),
        (["--token-file", "token"], "192.168.1.5:8000", 200),
        (["--token-file", "token"], "anything.example", 400),
    ],
)
def test_open_to_others_by_public_or_a_token(options, host, status, model, tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr("uvicorn.run", lambda app, **_: started.append(app))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "token").write_text("sesame")
    before = signal.getsignal(signal.SIGTERM)
    command = ["serve", "--host", "0.0.0.0", "--port", str(free_port()), "--model", str(model)]
    done = CliRunner().invoke(app, [*command, *options])
    signal.signal(signal.SIGTERM, before)
    assert done.exit_code == 0, done.stderr

    async def ask() -> int:
        transport = httpx.ASGITransport(app=started[0])
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            return (await client.get("/healthz")).status_code

    assert asyncio.run(ask()) == status


def test_other_names_are_refused_and_every_request_is_logged(model):
    with running(model) as (process, url):
        assert httpx.get(f"{url}/healthz", headers={"Host": "evil.org"}).status_code == 400
        answer = httpx.post(f"{url}/v1/remove", content=PHOTO, timeout=60)
        process.send_signal(signal.SIGINT)
        lines = process.communicate(timeout=30)[1].splitlines()
    assert lines[0].startswith("Open http://127.0.0.1:")
    assert re.search(r" 127\.0\.0\.1 GET /healthz 400 \d+ ms \d+ B$", lines[-2])
    size = len(answer.content)
    assert re.search(rf" 127\.0\.0\.1 POST /v1/remove 200 \d+ ms {size} B$", lines[-1])


def test_quiet_means_no_log(model):
    with running(model, quiet=True) as (process, url):
        assert httpx.get(f"{url}/healthz").status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[1] == ""


def test_counts_are_those_of_all_processes(model):
    with running(model, "--processes", "2") as (process, url):
        for _ in range(6):  # each over a connection of its own, whoever takes it
            assert httpx.post(f"{url}/v1/remove", content=PHOTO, timeout=60).status_code == 200
        told = [get(f"{url}/metrics") for _ in range(6)]
        workers = serving(process)
        folder = Path(workers[0].environ()["PROMETHEUS_MULTIPROC_DIR"])
        assert folder.is_dir()
        process.terminate()
        assert process.wait(60) == 0
    assert len(workers) == 2
    assert all('semilar_photos_total{flare="strong"} 6.0' in one for one in told)
    assert not folder.exists()


def test_a_port_in_use(model):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = CliRunner().invoke(app, ["serve", "--model", str(model), "--port", str(port)])
    assert done.exit_code == 2
    assert f"port {port}: cannot be listened on" in done.stderr


def test_without_the_extra_it_says_what_to_install(model):
    done = semilar("serve", "--model", model, without=("uvicorn",))
    assert done.returncode == 2
    assert 'pip install "semilar[serve]"' in done.stderr


def test_the_token_comes_from_a_file_or_the_environment(tmp_path, monkeypatch):
    (tmp_path / "token").write_text("sesame\n")
    monkeypatch.setenv("SEMILAR_TOKEN", "other")
    assert _token(tmp_path / "token") == "sesame"
    assert _token(None) == "other"
    monkeypatch.delenv("SEMILAR_TOKEN")
    assert _token(None) is None


def test_no_torch_is_loaded(model):
    script = (
        "import sys; from semilar.serve.starting import ServicePlan; "
        f"ServicePlan(model={str(model)!r}).app(); print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=os.environ
    )
    assert done.stdout.strip() == "False", done.stderr
