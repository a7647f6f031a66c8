"""Scorers are found by name and keep the protocol."""

import pytest
import torch

from semilar.errors import SemilarError
from semilar.quality.scorers import Scorer, scorer


def test_none_accepts_every_candidate():
    none = scorer("none")
    assert isinstance(none, Scorer)
    stored, candidate = none(torch.rand(2, 3, 20, 30))
    assert candidate > stored + none.delta


def test_an_unknown_name_is_told_with_the_known_ones():
    with pytest.raises(SemilarError, match=r"nonesuch.*none"):
        scorer("nonesuch")
