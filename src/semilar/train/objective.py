"""The labeled half of L_total = L_sup + η L_unsup (section 3.1, equation 2).

The other half is `semilar.semi.unsupervised`.
"""

from torch import Tensor

from semilar.loss import Features, SupervisedLoss
from semilar.semi import Forward, mix
from semilar.train.feed import LabeledBatch


def labeled_terms(
    net: Forward,
    batch: LabeledBatch,
    loss: SupervisedLoss,
    features: Features | None,
    *,
    share: float,
) -> dict[str, Tensor]:
    """Weighted supervised terms of a batch, mixed with `share` (1 for no mixup)."""
    picture, target, flare = (mix(x, share) for x in (batch.input, batch.target, batch.flare))
    return loss(net(picture), target, flare, features)
