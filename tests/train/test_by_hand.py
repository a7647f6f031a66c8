"""Whole steps of training against the same steps written out by hand, in plain torch.

The recipe's numbers are all unlike their defaults, so that one that is ignored shows. Only the data
and the network are taken from the package.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from semilar.data.order import MIXUP, STEP, derived_seed
from semilar.train.checkpoint import load_newest
from semilar.train.feed import Batch, Batches, Unlabeled
from semilar.train.network import build_net
from semilar.train.recipe import Recipe
from semilar.train.sources import find_sources
from semilar.train.start import make_plan, train
from tests.train.tiny import ContrastScore, TinyFeatures, tiny_recipe

PIXEL, PERCEPTUAL, FFT, FLARE = 0.7, 0.3, 0.15, 0.6
UNLABELED_PIXEL, UNLABELED_PERCEPTUAL, CONTRAST, TEMPERATURE = 1.7, 0.4, 0.9, 0.3
RATE, SLOW, FAST, WARMUP, FINAL = 3e-3, 0.8, 0.95, 2, 0.2
MOMENTUM, ETA, ETA_EPOCHS, START, MIX_START = 0.6, 0.8, 2.0, 1.0, 2.0
EPSILON, BETA, VALID, PATCHES = 0.03, 0.3, 0.1525, 8
STEPS, STEPS_PER_EPOCH, ACCUMULATE = 9, 3, 2

CHANGES: dict[str, Any] = {
    "stages": [{"steps": STEPS, "crop": 32, "batch": 2, "accumulate": ACCUMULATE}],
    "loss": {"pixel": PIXEL, "perceptual": PERCEPTUAL, "fft": FFT, "flare": FLARE},
    "optimizer": {
        "lr": RATE,
        "betas": [SLOW, FAST],
        "warmup": WARMUP,
        "final": FINAL,
        "clip": 0.0,
    },
    "teacher_momentum": MOMENTUM,
    "mixup": {"start_epoch": MIX_START, "probability": 1.0, "alpha": 0.7},
    "semi": {
        "start_epoch": START,
        "eta": ETA,
        "eta_epochs": ETA_EPOCHS,
        "pixel": UNLABELED_PIXEL,
        "perceptual": UNLABELED_PERCEPTUAL,
        "contrastive": {"weight": CONTRAST, "temperature": TEMPERATURE, "patches": PATCHES},
        "repository": {"epsilon": EPSILON, "beta": BETA, "delta": 0.0, "valid": VALID},
    },
}


class ByHand:
    """Student, teacher, Adam and repository in as few lines as they can be said."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.student, self.teacher = build_net(recipe), build_net(recipe).eval()
        self.features, self.score = TinyFeatures(), ContrastScore()
        self.means = [torch.zeros_like(p) for p in self.student.parameters()]
        self.squares = [torch.zeros_like(p) for p in self.student.parameters()]
        self.labels: dict[str, tuple[Tensor, float]] = {}
        self.means_of_targets: list[float] = []

    def step(self, number: int, batches: list[Batch]) -> None:
        self.student.train()
        self.student.zero_grad()
        for batch in batches:
            loss = self.labeled_loss(batch, number)
            if batch.unlabeled:
                past = number / STEPS_PER_EPOCH - START
                eta = ETA * math.exp(-5 * max(0.0, 1 - past / ETA_EPOCHS) ** 2)
                loss = loss + eta * self.unlabeled_loss(batch)
            (loss / len(batches)).backward()
        self.move(number)

    def labeled_loss(self, batch: Batch, number: int) -> Tensor:
        share = 1.0
        if number / STEPS_PER_EPOCH >= MIX_START:
            rng = np.random.default_rng((self.recipe.seed, MIXUP, batch.number))
            rng.random()  # whether to mix; the recipe always does
            share = float(rng.beta(0.7, 0.7))
        mixed = [
            share * x + (1 - share) * x.flip(0)  # of two pictures, each is the other's partner
            for x in (batch.labeled.input, batch.labeled.target, batch.labeled.flare)
        ]
        scene, flare = self.student(mixed[0])
        return self.supervised(scene, mixed[1]) + FLARE * self.supervised(flare, mixed[2])

    def supervised(self, output: Tensor, target: Tensor) -> Tensor:
        spectrum = torch.fft.rfft2(output - target, norm="ortho")
        frequencies = torch.stack([spectrum.real, spectrum.imag]).abs().mean()
        distance = self.distance(output, target).mean()
        return PIXEL * (output - target).abs().mean() + PERCEPTUAL * distance + FFT * frequencies

    def distance(self, output: Tensor, target: Tensor) -> Tensor:
        """Squared distance of features, picture by picture."""
        found, wanted = self.features(output)["relu3_3"], self.features(target)["relu3_3"]
        return ((found - wanted) ** 2).mean((1, 2, 3))

    def unlabeled_loss(self, batch: Batch) -> Tensor:
        targets = torch.stack([self.target(sample) for sample in batch.unlabeled])
        strong = torch.stack([sample.strong for sample in batch.unlabeled])
        output = self.student(strong)[0]
        total = torch.zeros(())
        for i, sample in enumerate(batch.unlabeled):
            self.means_of_targets.append(float(targets[i].mean()))
            if self.means_of_targets[-1] < VALID:
                continue
            pixel = (output[i] - targets[i]).abs().mean()
            distance = self.distance(output[i : i + 1], targets[i : i + 1])[0]
            seed = derived_seed(self.recipe.seed, STEP, batch.number, sample.photo)
            contrast = self.contrast(output[i], targets[i], strong[i], seed)
            total = total + UNLABELED_PIXEL * pixel + UNLABELED_PERCEPTUAL * distance
            total = total + CONTRAST * contrast
        return total / len(batch.unlabeled)

    def contrast(self, output: Tensor, target: Tensor, strong: Tensor, seed: int) -> Tensor:
        maps = [self.features(x[None])["relu3_3"][0].flatten(1) for x in (output, target, strong)]
        generator = torch.Generator().manual_seed(seed)
        spots = torch.randint(maps[0].shape[1], (PATCHES,), generator=generator)
        cosine, losses = nn.CosineSimilarity(dim=0), []
        for spot in spots.tolist():
            anchor, positive, negative = (m[:, spot] for m in maps)
            near = torch.exp(cosine(anchor, positive) / TEMPERATURE)
            far = torch.exp(cosine(anchor, negative) / TEMPERATURE)
            losses.append(-torch.log(near / (near + far)))
        return torch.stack(losses).mean()

    @torch.no_grad()
    def target(self, sample: Any) -> Tensor:
        """Algorithm 1 for one photo, then the student's window of what is stored."""
        photo = sample.frame.flip(-1) if sample.window.flip else sample.frame
        answer = self.teacher(photo[None])[0][0]
        candidate = torch.minimum(answer, photo + EPSILON).clamp(0, 1)
        candidate = candidate.flip(-1) if sample.window.flip else candidate
        score = float(self.score(candidate[None])[0])
        stored = self.labels.get(sample.key)
        if stored is None:
            self.labels[sample.key] = candidate, score
        elif score > stored[1]:
            self.labels[sample.key] = (1 - BETA) * stored[0] + BETA * candidate, score
        label, window = self.labels[sample.key][0], sample.window
        part = label[
            :, window.top : window.top + window.height, window.left : window.left + window.width
        ]
        return part.flip(-1) if window.flip else part

    @torch.no_grad()
    def move(self, number: int) -> None:
        if number < WARMUP:
            rate = RATE * (number + 1) / WARMUP
        else:
            turn = math.cos(math.pi * (number - WARMUP) / (STEPS - WARMUP))
            rate = RATE * (FINAL + (1 - FINAL) * (1 + turn) / 2)
        keep = min(1 - 1 / (number + 1), MOMENTUM)
        for i, parameter in enumerate(self.student.parameters()):
            assert parameter.grad is not None
            self.means[i] = SLOW * self.means[i] + (1 - SLOW) * parameter.grad
            self.squares[i] = FAST * self.squares[i] + (1 - FAST) * parameter.grad**2
            mean = self.means[i] / (1 - SLOW ** (number + 1))
            square = self.squares[i] / (1 - FAST ** (number + 1))
            parameter -= rate * mean / (square.sqrt() + 1e-8)
        for own, other in zip(self.teacher.parameters(), self.student.parameters(), strict=True):
            own.copy_(keep * own + (1 - keep) * other)


def awake_recipe(folder: Path) -> Recipe:
    """The recipe, from weights of which none is zero: Adam would blow rounding errors up there."""
    net, file = build_net(tiny_recipe(folder)), folder / "awake.safetensors"
    torch.manual_seed(2)
    for parameter in net.parameters():
        if not parameter.any():
            nn.init.normal_(parameter, std=0.1)
    save_file(net.state_dict(), file)
    return tiny_recipe(folder, changes={**CHANGES, "init": str(file)})


def test_training_is_what_it_says_step_by_step(tmp_path: Path) -> None:
    recipe = awake_recipe(tmp_path)
    train(recipe, features=TinyFeatures(), scorer=ContrastScore())
    found, _ = load_newest(recipe.run / "checkpoints")

    sources = find_sources(recipe)
    assert sources.unlabeled is not None
    plan = make_plan(recipe, sources)
    first = plan.first_batch(round(START * STEPS_PER_EPOCH))
    batches = Batches(plan, sources.labeled, Unlabeled(sources.unlabeled, 2, first), seed=3)
    reference = ByHand(recipe)
    for number in range(STEPS):
        reference.step(number, [batches[i] for i in plan.step(number).batches])

    darkest, brightest = min(reference.means_of_targets), max(reference.means_of_targets)
    assert darkest < VALID < brightest, "some targets are too black, not all"
    for name, wanted in (("student", reference.student), ("teacher", reference.teacher)):
        moved = found.student if name == "student" else found.teacher
        for key, value in wanted.state_dict().items():
            torch.testing.assert_close(moved[key], value, atol=5e-6, rtol=0, msg=f"{name} {key}")
