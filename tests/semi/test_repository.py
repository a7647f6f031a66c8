"""The repository against a plain transcription of algorithm 1, reopened all the time."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semilar.errors import SemilarError
from semilar.semi.repository import Entry, Offer, Repository
from semilar.semi.rule import Decision, UpdateRule

HEIGHT, WIDTH = 3, 4
# Thousands of databases are made and reopened: in memory where the system offers that.
QUICK = "/dev/shm" if Path("/dev/shm").is_dir() else None
KEYS = ("a.jpg#1", "b/c.png#2", "d.jpg#3")


@dataclass
class Slot:
    """One photo of the transcription: p_u as 16-bit levels, s_u, and what happened."""

    levels: np.ndarray
    score: float = -np.inf
    outcomes: tuple[str, ...] = ()


def algorithm_1(
    slot: Slot, prediction: np.ndarray, photo: np.ndarray, score: float, p: dict
) -> None:
    """Algorithm 1 of the paper, line by line, in float64, with storage rounded to 16 bits."""
    bounded = np.clip(np.minimum(prediction, photo + p["epsilon"]), 0, 1)
    if bounded.mean() < p["black"]:
        slot.outcomes += ("black",)
        return
    if bounded.min() > p["fog"]:
        slot.outcomes += ("foggy",)
        return
    is_empty = (slot.levels / 65535).mean() < p["empty"]
    is_better = score > slot.score + p["delta"]
    if is_better or is_empty:
        old = bounded if is_empty else slot.levels / 65535
        slot.levels = np.rint(((1 - p["beta"]) * old + p["beta"] * bounded) * 65535)
        if is_empty:  # the empty slot takes the candidate whole
            slot.levels = np.rint(bounded * 65535)
        slot.score = score
        slot.outcomes += ("accepted",)
    else:
        slot.outcomes += ("not_better",)


# Values on a grid that float32 holds exactly, so that both sides see the same numbers.
level = st.integers(0, 256).map(lambda k: k / 256)
picture = st.one_of(
    st.lists(level, min_size=36, max_size=36),
    level.map(lambda value: [value] * 36),  # flat ones: black, foggy, exactly on a threshold
)
candidate = st.tuples(
    st.sampled_from(KEYS), picture, picture, st.integers(0, 40).map(lambda k: k / 8)
)
rules = st.fixed_dictionaries(
    {
        "epsilon": st.sampled_from([0.0, 0.0625, 0.25]),
        "beta": st.sampled_from([0.0, 0.25, 0.5, 1.0]),
        "delta": st.sampled_from([0.0, 0.5, 2.0]),
        "black": st.sampled_from([0.0, 0.0625, 0.5]),
        "fog": st.sampled_from([0.125, 0.25, 1.0]),
        "empty": st.sampled_from([2**-10, 0.03125, 0.25]),
    }
)


def as_array(values: list[float]) -> np.ndarray:
    return np.array(values).reshape(3, HEIGHT, WIDTH)


def offer(
    rule: UpdateRule, key: str, prediction: np.ndarray, photo: np.ndarray, score: float
) -> Offer:
    bounded = rule.bound(torch.from_numpy(prediction).float(), torch.from_numpy(photo).float())
    refused = rule.refuse(bounded)
    return Offer(key, bounded, refused, score if refused is None else None)


streams = given(stream=st.lists(candidate, max_size=16), p=rules, reopen=st.integers(2, 6))
patient = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=80, **patient)
@streams
def test_equals_algorithm_1(stream, p, reopen) -> None:
    check_stream(stream, p, reopen)


@pytest.mark.slow
@settings(max_examples=4000, **patient)
@streams
def test_equals_algorithm_1_at_length(stream, p, reopen) -> None:
    check_stream(stream, p, reopen)


def check_stream(stream, p: dict, reopen: int) -> None:
    with tempfile.TemporaryDirectory(dir=QUICK) as folder:
        compare(Path(folder) / "r.sqlite", stream, p, reopen)


def compare(path: Path, stream, p: dict, reopen: int) -> None:
    rule = UpdateRule(**p)
    slots = {key: Slot(np.zeros((3, HEIGHT, WIDTH))) for key in KEYS}
    repository = Repository(path)
    for step, (key, prediction, photo, score) in enumerate(stream):
        prediction, photo = as_array(prediction), as_array(photo)
        algorithm_1(slots[key], prediction, photo, score, p)
        repository.offer([offer(rule, key, prediction, photo, score)], rule, step=step)
        if step % reopen == 0:
            repository.close()
            repository = Repository(path)
    for key, slot in slots.items():
        entry = repository.entry(key) or Entry(key, None, None, None)
        assert tuple(event.outcome for event in repository.events(key)) == slot.outcomes
        assert entry.offered == len(slot.outcomes)
        for outcome in Decision:
            assert getattr(entry, outcome) == slot.outcomes.count(outcome)
        if "accepted" in slot.outcomes:
            assert entry.label is not None
            np.testing.assert_array_equal(entry.label, slot.levels)
            assert entry.score == slot.score
        else:
            assert entry.label is None
    repository.close()


def random_offers(rng: np.random.Generator, count: int) -> list[Offer]:
    return [
        Offer(
            str(rng.choice(KEYS)),
            torch.from_numpy(rng.random((3, 3, 4))).float(),
            None,
            rng.random(),
        )
        for _ in range(count)
    ]


def contents(repository: Repository) -> list:
    rows = []
    for key in repository.photo_keys():
        entry = repository.entry(key)
        assert entry is not None
        label = None if entry.label is None else entry.label.tobytes()
        rows.append((key, label, entry.score, entry.step, entry.offered, entry.not_better))
    return [rows, repository.events()]


@pytest.mark.parametrize("seed", range(5))
def test_rolls_back_to_any_kept_checkpoint(tmp_path: Path, seed: int) -> None:
    """The state at each checkpoint is remembered in the test and compared after rolling back."""
    rng, rule = np.random.default_rng(seed), UpdateRule(delta=0.01, fog=1.0)
    with Repository(tmp_path / "r.sqlite") as repository:
        remembered = {0: contents(repository)}
        for step in range(30):
            repository.offer(random_offers(rng, 2), rule, step=step)
            if (step + 1) % 7 == 0:
                repository.mark_checkpoint(step + 1)
                remembered[step + 1] = contents(repository)
        repository.forget_before(14)
    for step in (28, 21, 14):
        with Repository(tmp_path / "r.sqlite") as repository:
            repository.roll_back(step)
            assert contents(repository) == remembered[step]
            again = np.random.default_rng(99)
            repository.offer(random_offers(again, 3), rule, step=step)
            assert contents(repository) != remembered[step]


def test_a_batch_changes_in_one_transaction(tmp_path: Path) -> None:
    rng, rule = np.random.default_rng(0), UpdateRule()
    bad = Offer("x", torch.zeros(3, 3, 4), None, None)  # has no score, so the batch breaks here
    with Repository(tmp_path / "r.sqlite") as repository:
        with pytest.raises(AssertionError):
            repository.offer([*random_offers(rng, 3), bad], rule, step=0)
        assert repository.photo_keys() == []
        assert repository.events() == []


def test_small_blends_are_not_lost_to_rounding(tmp_path: Path) -> None:
    """β = 0.2 of a change of 1/255 survives 16 bits; 8 bits would keep nothing of it."""
    rule = UpdateRule(fog=1.0)
    before, after = torch.full((3, 3, 4), 0.5), torch.full((3, 3, 4), 0.5 + 1 / 255)
    with Repository(tmp_path / "r.sqlite") as repository:
        repository.offer([Offer("k", before, None, 1.0)], rule, step=0)
        entry = repository.offer([Offer("k", after, None, 2.0)], rule, step=1)[0]
    assert entry.label is not None
    assert entry.label.mean() / 65535 == pytest.approx(0.5 + 0.2 / 255, abs=1e-5)


def test_momentum_alone_takes_every_valid_candidate(tmp_path: Path) -> None:
    rule = UpdateRule(strategy="momentum", fog=1.0)
    with Repository(tmp_path / "r.sqlite") as repository:
        for step, score in enumerate((5.0, 1.0, 0.0)):
            offers = [Offer("k", torch.full((3, 3, 4), 0.5), None, score)]
            repository.offer(offers, rule, step=step)
        assert repository.totals()[Decision.ACCEPTED] == 3


def test_a_damaged_or_missing_file_is_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"not a database at all" * 100)
    with pytest.raises(SemilarError, match=r"broken\.sqlite"):
        Repository(broken)
    with pytest.raises(SemilarError, match=r"absent\.sqlite"):
        Repository(tmp_path / "absent.sqlite", readonly=True)
