"""`semilar models` as a person and as a script meet it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.net import cost, network_table
from semilar.net.registry import REGISTRY
from semilar.weights.manifest import BUNDLED
from tests.support.command import semilar

HEAVY = ("torch", "lightning_fabric", "yaml", "onnx")


def _invoke(*arguments: str):
    return CliRunner().invoke(app, ["models", *arguments], env={"COLUMNS": "120"})


def test_models_come_first_and_need_no_torch() -> None:
    done = semilar("models", without=HEAVY)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[1].startswith("semilar-t ")
    assert "dB on 25 strong real pairs" in done.stdout
    places = [done.stdout.index(f"\n{name} ") for name in ("semilar-t", *REGISTRY)]
    assert places == sorted(places)


def test_json_holds_models_and_networks() -> None:
    facts = json.loads(_invoke("--json").stdout)
    assert [model["name"] for model in facts["models"]] == ["semilar-t"]
    ours = facts["models"][0]
    assert ours["megabytes"] == round((BUNDLED / "semilar-t.onnx").stat().st_size / 1e6, 1)
    networks = {row["name"]: row for row in facts["networks"]}
    assert list(networks) == list(REGISTRY)
    for name, net in REGISTRY.items():
        row = networks[name]
        assert (row["multiple"], row["min_size"]) == (net.multiple, net.min_size)
        assert (row["global_context"], row["summary"]) == (net.global_context, net.summary)


@pytest.mark.parametrize("name", ["raliformer-t", "unet-desk", "nafnet-desk"])
def test_costs_in_the_table_are_counted(name: str) -> None:
    rows = {row["name"]: row for row in json.loads(_invoke("--json").stdout)["networks"]}
    counted = cost(name)
    shown = rows[name]["parameters"], rows[name]["gmacs_512"]
    assert shown == (counted.parameters, counted.macs / 1e9), "run tools/network_table.py"


@pytest.mark.slow
def test_the_whole_table_is_counted() -> None:
    assert json.loads(_invoke("--json").stdout)["networks"] == network_table()


def test_info_shows_a_card() -> None:
    done = _invoke("info", "semilar-t")
    assert done.exit_code == 0
    assert "working size  512" in done.stdout
    assert "simulated pairs (smeared)" in done.stdout
    assert len(done.stdout.splitlines()) < 24
    whole = json.loads(_invoke("info", "semilar-t", "--json").stdout)
    card = json.loads((BUNDLED / "semilar-t.json").read_text(encoding="utf-8"))
    assert len(whole.pop("content_sha256")) == 64  # of the file that the card lies in
    assert whole == {"domain": "encoded", **card}


def test_a_wrong_name_lists_the_right_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("nobody", "semilar-t"):  # folders of these names change nothing
        (tmp_path / name).mkdir()
    assert _invoke("info", "semilar-t").exit_code == 0
    missing = _invoke("info", "nobody")
    assert missing.exit_code == 2
    assert missing.stderr == (
        "No model is called 'nobody'; there are: semilar-t; "
        "or give the path of an .onnx or .safetensors file.\n"
    )
