"""Files about the project agree with the project."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from semilar import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def load(path: Path) -> dict[Any, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_ci_runs_every_python_and_system_that_the_package_claims() -> None:
    matrix = load(ROOT / ".github/workflows/test.yml")["jobs"]["test"]["strategy"]["matrix"]
    claims = "\n".join(PROJECT["classifiers"])
    assert matrix["python"] == re.findall(r"Python :: (3\.\d+)$", claims, re.MULTILINE)
    names = {"ubuntu": "POSIX :: Linux", "macos": "MacOS", "windows": "Microsoft :: Windows"}
    for system in matrix["os"]:
        assert f"Operating System :: {names.pop(system.partition('-')[0])}" in claims
    assert not names


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_workflows_call_what_exists(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    steps = [step for job in load(path)["jobs"].values() for step in job["steps"]]
    for step in steps:
        assert ("run" in step) != ("uses" in step)
        for script in re.findall(r"\btools/\w+\.py", step.get("run", "")):
            assert (ROOT / script).is_file(), script
        for target in re.findall(r"\bmake ([\w-]+)", step.get("run", "")):
            assert f"\n{target}:" in makefile, target


def test_the_release_has_wheel_sdist_checksums_and_image() -> None:
    jobs = load(ROOT / ".github/workflows/release.yml")["jobs"]
    done = "\n".join(str(step) for job in jobs.values() for step in job["steps"])
    for part in ("-m build", "SHA256SUMS", "gh release create", "docker/build-push-action"):
        assert part in done, part


def test_the_citation_names_this_version_and_address() -> None:
    citation = load(ROOT / "CITATION.cff")
    assert (citation["version"], citation["license"]) == (__version__, PROJECT["license"])
    assert citation["repository-code"] == PROJECT["urls"]["Source"]
    assert citation["abstract"] == PROJECT["description"]


def test_pre_commit_uses_the_tested_ruff() -> None:
    repositories = load(ROOT / ".pre-commit-config.yaml")["repos"]
    (ruff,) = (r["rev"] for r in repositories if r["repo"].endswith("ruff-pre-commit"))
    assert f"ruff=={ruff.removeprefix('v')}" in (ROOT / "constraints.txt").read_text().split()


def test_addresses_are_of_one_repository() -> None:
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob(".github/**/*.yml")]
    for path in [*files, ROOT / "CITATION.cff", ROOT / "pyproject.toml"]:
        for owner in re.findall(r"github\.com/([\w.-]+/semilar)\b", path.read_text("utf-8")):
            assert f"https://github.com/{owner}" == PROJECT["urls"]["Source"], path
