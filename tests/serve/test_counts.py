"""What the service tells about itself: counts for Prometheus, a line for each request."""

import asyncio
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from semilar.serve import access_log
from semilar.serve.app import create_app
from semilar.serve.guard import Exchange
from semilar.serve.settings import ServiceSettings
from tests.serve.fakes import MODEL, app_with, client_of, dim, jpeg


def ask(app, *requests: tuple[str, str, dict]) -> list[httpx.Response]:
    async def all_of_them() -> list[httpx.Response]:
        async with client_of(app) as client:
            return [await client.request(one, path, **more) for one, path, more in requests]

    return asyncio.run(all_of_them())


def samples(text: str) -> dict[str, float]:
    """Read by the library's own parser: `name{label=value}` to the value."""
    return {
        one.name + "".join(f"{{{k}={v}}}" for k, v in one.labels.items()): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


def test_counts_follow_what_happened():
    photo = {"content": jpeg()}
    *answers, told = ask(
        app_with(),
        ("POST", "/v1/remove", photo),
        ("POST", "/v1/remove", photo),
        ("POST", "/v1/remove", {"content": b"no"}),
        ("GET", "/nothing", {}),
        ("GET", "/metrics", {}),
    )
    seen = samples(told.text)
    assert told.headers["content-type"].startswith("text/plain; version=")
    assert seen["semilar_requests_total{status=200}"] == 2
    assert seen["semilar_requests_total{status=422}"] == 1
    assert seen["semilar_requests_total{status=404}"] == 1
    assert seen["semilar_photos_total{flare=strong}"] == 2
    assert seen["semilar_photos_total{flare=none}"] == 0
    assert seen["semilar_received_bytes_total"] == 2 * len(jpeg())
    assert seen["semilar_sent_bytes_total"] == sum(len(one.content) for one in answers[:2])
    assert seen["semilar_job_seconds_count"] == 2
    assert seen["semilar_job_seconds_bucket{le=+Inf}"] == 2
    assert seen["semilar_jobs_running"] == seen["semilar_requests_waiting"] == 0
    assert not any("_created" in name for name in seen)


def test_a_fault_inside_is_counted_and_guarded_too():
    def broken(photo, asked):
        raise ZeroDivisionError

    fault, told = ask(
        app_with(broken), ("POST", "/v1/remove", {"content": jpeg()}), ("GET", "/metrics", {})
    )
    assert fault.status_code == 500
    assert fault.headers["x-content-type-options"] == "nosniff"
    assert samples(told.text)["semilar_requests_total{status=500}"] == 1


_PROCESS = """
import os, sys
from semilar.serve.found import FoundFlare
from semilar.serve.metrics import Metrics
metrics = Metrics()
metrics.answered(200)
metrics.restored(FoundFlare("weak", 0.0001), received=10, sent=5, work=0.3, wait=0.1)
metrics.busy(2, 3)
print("counted", flush=True)
sys.stdin.readline()
sys.stdout.buffer.write(metrics.text())
sys.stdout.flush()
sys.stdin.readline()
"""


def test_counts_add_up_over_processes_and_the_dead_do_nothing(tmp_path):
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", _PROCESS]
    three = [subprocess.Popen(command, env=environment, **pipe) for _ in range(3)]
    try:
        for one in three:
            assert one.stdout is not None
            assert one.stdout.readline() == "counted\n"
        three[2].kill()
        three[2].wait(20)
        told = three[0].communicate("\n\n", timeout=30)[0]
    finally:
        for one in three:
            one.kill()
            one.communicate()
    seen = samples(told)
    assert seen["semilar_requests_total{status=200}"] == 3
    assert seen["semilar_photos_total{flare=weak}"] == 3
    assert seen["semilar_received_bytes_total"] == 30
    assert seen["semilar_job_seconds_sum"] == pytest.approx(0.9)
    assert seen["semilar_job_seconds_count"] == 3
    assert seen["semilar_jobs_running"] == 4  # two each of the two that live
    assert seen["semilar_requests_waiting"] == 6


LINE = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d (?P<client>\S+) (?P<method>\S+) (?P<path>\S+) "
    r"(?P<status>\d{3}) (?P<ms>\d+) ms (?P<size>\d+) B"
)


def test_one_line_for_each_request(capsys):
    app = create_app(dim, settings=ServiceSettings(access_log=True), model=MODEL)
    photo = {"content": jpeg(), "params": {"name": "secret.jpg"}}
    answers = ask(app, ("POST", "/v1/remove", photo), ("GET", "/no%20thing%0a", {}))
    lines = capsys.readouterr().err.splitlines()
    first, second = (LINE.fullmatch(line) for line in lines)
    assert first is not None
    assert second is not None
    assert (first["method"], first["path"]) == ("POST", "/v1/remove")
    assert (first["client"], first["status"]) == ("127.0.0.1", "200")
    assert int(first["size"]) == len(answers[0].content)
    assert 0 <= int(first["ms"]) < 60_000
    assert (second["path"], second["status"]) == ("/no%20thing%0a", "404")


def test_no_lines_where_none_were_asked_for(capsys):
    ask(app_with(), ("GET", "/healthz", {}))
    assert capsys.readouterr().err == ""


def test_strangers_cannot_write_lines_of_their_own():
    exchange = Exchange(client="1.2.3.4\n5", method="GET", path="/a b\r\n" + "x" * 500, status=404)
    line = access_log.line(exchange, datetime(2026, 1, 2, tzinfo=UTC))
    assert LINE.fullmatch(line), json.dumps(line)
    assert len(line) < 300
