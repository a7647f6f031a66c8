"""`semilar models` as a person and as a script meet it."""

import json

import pytest
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.net import registry
from tests.support.command import semilar

TWO = ("raliformer-t", "unet-desk")


@pytest.fixture
def two_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "REGISTRY", {name: registry.REGISTRY[name] for name in TWO})


@pytest.mark.usefixtures("two_networks")
def test_json_lists_cost_and_needs() -> None:
    done = CliRunner().invoke(app, ["models", "--json"])
    assert done.exit_code == 0
    rows = json.loads(done.stdout)
    assert [row["name"] for row in rows] == list(TWO)
    assert rows[0]["gmacs_512"] <= 5
    assert rows[0]["parameters"] <= 4e6
    assert rows[0]["global_context"]
    assert not rows[1]["global_context"]


@pytest.mark.usefixtures("two_networks")
def test_table_names_every_network() -> None:
    done = CliRunner().invoke(app, ["models"])
    assert done.exit_code == 0
    assert all(name in done.stdout for name in TWO)


def test_card_of_a_bundled_model_and_a_sentence_for_a_missing_one() -> None:
    card = CliRunner().invoke(app, ["models", "info", "niqe"])
    assert json.loads(card.stdout)["name"] == "niqe"
    missing = CliRunner().invoke(app, ["models", "info", "nobody"])
    assert missing.exit_code == 2
    assert "nobody" in missing.output


def test_without_torch_the_extra_is_named() -> None:
    done = semilar("models", without=("torch",))
    assert done.returncode == 2
    assert 'pip install "semilar[train]"' in done.stderr
    assert "Traceback" not in done.stderr
