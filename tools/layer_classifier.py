"""A two-sample test: can a small network tell real flare layers from simulated ones?

Part of tools/flare_realism.py. Cross-validation in five parts: the network learns on four, mirrored
and turned at random, and is asked about the fifth. Both kinds are drawn equally often, so that an
accuracy of 0.5 means that it cannot tell them apart.
"""

import numpy as np
import torch
from torch import Tensor, nn

SIDE, PARTS, STEPS, BATCH = 64, 5, 250, 32
FLOOR = 2e-3  # *linear* light that counts as none


def report(real: list[np.ndarray], made: list[np.ndarray]) -> str:
    """Accuracy on unseen layers by all that they show, and by less, to say what gives them away."""
    stacks = [torch.stack([_prepared(layer) for layer in layers]) for layers in (real, made)]
    views = {
        "everything": lambda x: x,
        "brightness without colour": lambda x: x.mean(dim=1, keepdim=True).expand_as(x),
        "coarse light only (8 x 8)": lambda x: nn.functional.interpolate(
            nn.functional.avg_pool2d(x, 8), scale_factor=8
        ),
        "fine detail only": lambda x: x - nn.functional.avg_pool2d(x, 5, 1, 2),
    }
    lines = [f"classifier, real against simulated layers, {PARTS} parts, balanced accuracy:"]
    for name, view in views.items():
        right = accuracy(*(view(stack) for stack in stacks))
        lines.append(f"  {name}: {right:.2f}")
    return "\n".join(lines)


def accuracy(real: Tensor, made: Tensor, *, steps: int = STEPS) -> float:
    """Mean over both kinds of the share that is told right when not learned from."""
    torch.manual_seed(0)
    folds = [torch.randperm(len(stack)) % PARTS for stack in (real, made)]
    right = [[], []]
    for part in range(PARTS):
        net = _learned(real[folds[0] != part], made[folds[1] != part], steps)
        with torch.no_grad():
            for kind, (stack, fold) in enumerate(zip((real, made), folds, strict=True)):
                answers = net(stack[fold == part])[:, 0] > 0
                right[kind] += [bool(answer) == bool(kind) for answer in answers]
    return float(np.mean([np.mean(answers) for answers in right]))


def _learned(real: Tensor, made: Tensor, steps: int) -> nn.Module:
    net = nn.Sequential(
        *_stage(3, 12),
        *_stage(12, 24),
        *_stage(24, 32),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(32, 1),
    )
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.05)
    for _ in range(steps):
        halves = [stack[torch.randint(len(stack), (BATCH // 2,))] for stack in (real, made)]
        wanted = torch.cat([torch.zeros(BATCH // 2), torch.ones(BATCH // 2)])
        loss = nn.functional.binary_cross_entropy_with_logits(
            net(_turned(torch.cat(halves)))[:, 0], wanted
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net.eval()


def _stage(inside: int, outside: int) -> list[nn.Module]:
    return [
        nn.Conv2d(inside, outside, 3, padding=1),
        nn.GroupNorm(4, outside),
        nn.GELU(),
        nn.MaxPool2d(2),
    ]


def _turned(batch: Tensor) -> Tensor:
    batch = torch.rot90(batch, int(torch.randint(4, ())), dims=(2, 3))
    return batch.flip(-1) if torch.rand(()) < 0.5 else batch


def _prepared(layer: np.ndarray) -> Tensor:
    """A signed *linear* layer (H, W, 3) as logarithms on a small grid, (3, SIDE, SIDE)."""
    planes = torch.from_numpy(np.ascontiguousarray(layer.transpose(2, 0, 1)).astype(np.float32))
    small = nn.functional.interpolate(planes[None], (SIDE, SIDE), mode="area")[0]
    return (small.clamp(min=0) + FLOOR).log()
