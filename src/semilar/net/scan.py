"""The selective scan of state space models (Gu & Dao, "Mamba", 2023), in plain PyTorch.

    h_t = exp(Δ_t A) h_{t-1} + Δ_t B_t x_t,   y_t = C_t · h_t + D x_t

with A < 0 diagonal and Δ, B, C made from the input. The sequence is cut into chunks. All chunks go
through their steps at the same time, as if each began at rest; then every chunk gets the state
that the ones before it left, and its fading part is added. Work and memory grow with the length of
the sequence, and no state is kept for every step. The graph is the same for any length, so it
exports.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

CHUNK = 64
_DOUBLINGS = 17  # for 131,072 chunks: 8 million steps


def selective_scan(
    x: Tensor,
    delta: Tensor,
    decay: Tensor,
    write: Tensor,
    read: Tensor,
    passing: Tensor,
    *,
    chunk: int = CHUNK,
) -> Tensor:
    """Scan G sequences of D channels with N states each: `x` and `delta` are (B, G, D, L).

    `decay` (A) is (G, D, N), `write` (B) and `read` (C) are (B, G, N, L), `passing` (D) is (G, D).
    """
    length = x.shape[-1]
    room = (length + chunk - 1) // chunk * chunk - length
    cut = [pad(part, (0, room)).unflatten(-1, (-1, chunk)) for part in (x, delta, write, read)]
    inputs, steps, writes, reads = (part.movedim(-1, 0) for part in cut)  # (chunk, B, G, ., M)
    rates = decay[None, ..., None]  # (1, G, D, N, 1)
    state = torch.zeros_like(rates * steps[0].unsqueeze(3))  # (B, G, D, N, M)
    results = []
    for value, step, w, r in zip(inputs, steps, writes, reads, strict=True):
        state = torch.exp(rates * step.unsqueeze(3)) * state
        state = state + (step * value).unsqueeze(3) * w.unsqueeze(2)
        results.append((state * r.unsqueeze(2)).sum(dim=3))
    since = steps.cumsum(dim=0)
    before = _carried(torch.exp(rates * since[-1].unsqueeze(3)), state)
    faded = [
        result + (torch.exp(rates * passed.unsqueeze(3)) * before * r.unsqueeze(2)).sum(dim=3)
        for result, passed, r in zip(results, since, reads, strict=True)
    ]
    y = torch.stack(faded, dim=-1).flatten(-2)[..., :length]
    return y + passing[None, :, :, None] * x


def _carried(fade: Tensor, left: Tensor) -> Tensor:
    """What each chunk (last dimension) finds: the states left before it, faded by those between.

    Doubling: after k rounds every chunk knows the 2^k chunks before it.
    """
    count = left.shape[-1]
    for round_ in range(_DOUBLINGS):
        shift = 2**round_
        if not torch.compiler.is_exporting() and shift >= count:
            break
        earlier = pad(left, (shift, 0))[..., :count]
        left = left + fade * earlier
        fade = fade * pad(fade, (shift, 0), value=1.0)[..., :count]
    return pad(left, (1, 0))[..., :count]
