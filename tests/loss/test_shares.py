"""What pulls how hard: the gradient of each term of a recipe against the formulas behind it.

The formulas are written out here as docs/training.md describes the paper and its code, over
VGG16 as a plain list of layers with random weights. A weight that means something else in the
package shows as another share of the whole.
"""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from semilar.data.augmentation import ColourChange, Window
from semilar.data.unlabeled import UnlabeledSample
from semilar.loss.vgg import Vgg16
from semilar.semi.unsupervised import UnsupervisedLoss
from semilar.train.feed import LabeledBatch
from semilar.train.objective import labeled_terms
from semilar.train.recipe_file import load_recipe

SIDE, LAST_EPOCH, PATCHES, SEEDS = 24, 40, 128, [5, 6]
SAME = ColourChange(0, 0, 0, 0, middle=0.5, grey=False)


def random_vgg() -> nn.Sequential:
    """VGG16 up to relu3_3 in torchvision's order, with weights that keep the size of features."""
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for before, after in ((3, 64), (64, 64), (0, 0), (64, 128), (128, 128), (0, 0), (128, 256)):
        layers += (
            [nn.Conv2d(before, after, 3, padding=1), nn.ReLU()] if after else [nn.MaxPool2d(2)]
        )
    for _ in range(2):
        layers += [nn.Conv2d(256, 256, 3, padding=1), nn.ReLU()]
    for layer in layers:
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    return nn.Sequential(*layers).requires_grad_(False)


VGG = random_vgg()
ENDS = (4, 9, 16)  # relu1_2, relu2_2, relu3_3


def mse_of_layers(output: Tensor, target: Tensor) -> Tensor:
    """No normalisation; the mean over three layers."""
    layers = [nn.functional.mse_loss(VGG[:end](output), VGG[:end](target)) for end in ENDS]
    return (layers[0] + layers[1] + layers[2]) / 3


def l1(output: Tensor, target: Tensor) -> Tensor:
    return (output - target).abs().mean()


def l1_and_l2(output: Tensor, target: Tensor) -> Tensor:
    return 0.8 * l1(output, target) + 0.2 * ((output - target) ** 2).mean()


def charbonnier(output: Tensor, target: Tensor) -> Tensor:
    return torch.sqrt((output - target) ** 2 + 1e-6).mean()


def fft(output: Tensor, target: Tensor) -> Tensor:
    one, two = (torch.fft.rfft2(x, norm="ortho") for x in (output, target))
    return (l1(one.real, two.real) + l1(one.imag, two.imag)) / 2


def patches(picture: Tensor) -> Tensor:
    """(B, K, C), normalised, at the places that the seeds give."""
    maps = VGG(picture).flatten(2)
    found = []
    for one, seed in zip(maps, SEEDS, strict=True):
        generator = torch.Generator().manual_seed(seed)
        found.append(one[:, torch.randint(one.shape[1], (PATCHES,), generator=generator)].T)
    return nn.functional.normalize(torch.stack(found), dim=-1)


def contrast_of_pairs(output: Tensor, target: Tensor, flared: Tensor) -> Tensor:
    anchor, positive, negative = (patches(x) for x in (output, target, flared))
    near, far = (torch.exp((anchor * z).sum(-1) / 0.1) for z in (positive, negative))
    return -torch.log(near / (near + far)).mean()


def contrast_with_bank(output: Tensor, target: Tensor, flared: Tensor) -> Tensor:
    anchor, positive, negative = (patches(x).flatten(0, 1) for x in (output, target, flared))
    scores = torch.exp(anchor @ torch.cat([positive, negative]).T / 0.1)
    return -torch.log(scores.diagonal() / scores.sum(1)).mean()


def pictures(seed: int) -> Tensor:
    return torch.rand(2, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(seed))


CLEAN, FLARE, LABEL = pictures(0) * 0.4, pictures(1) * 0.4, pictures(2) * 0.4
FLARED, STRONG = CLEAN + FLARE, LABEL + 0.5 * pictures(3)
OUTPUT = (0.9 * FLARED, 0.8 * FLARE + 0.02)


def by_formula(recipe: str) -> dict[str, Tensor]:
    """Gradients of the weighted terms at the last epoch, as the network's output feels them."""
    code = recipe == "ablation/authors-code"
    pixel = l1_and_l2 if code else l1
    weights = {"pixel": (0.5, pixel), "perceptual": (0.5, mse_of_layers), "fft": (0.2, fft)}
    terms: dict[str, Tensor] = {}
    for prefix, output, target in (("", OUTPUT[0], CLEAN), ("flare_", OUTPUT[1], FLARE)):
        for name, (weight, loss) in weights.items():
            terms[prefix + name] = gradient(
                lambda x, f=loss, t=target, w=weight: w * f(x, t), output
            )
    eta, seen = 0.06, 0.9 * STRONG
    unlabeled: dict[str, Callable[[Tensor], Tensor]] = {
        "pixel": lambda x: (charbonnier if code else l1)(x, LABEL),
        "contrastive": (lambda x: 0.01 / 5 * contrast_with_bank(x, LABEL, STRONG))
        if code
        else (lambda x: 0.01 * contrast_of_pairs(x, LABEL, STRONG)),
    }
    if code:
        unlabeled["perceptual"] = lambda x: 0.5 * mse_of_layers(x, LABEL)
    for name, loss in unlabeled.items():
        terms[f"unlabeled_{name}"] = gradient(lambda x, f=loss: eta * f(x), seen)
    return terms


def by_recipe(name: str) -> dict[str, Tensor]:
    """The same gradients of what a run of the recipe would use."""
    recipe = load_recipe(name)
    semi = recipe.semi
    assert semi is not None
    arrays = {f"features.{key}": value.numpy() for key, value in VGG.state_dict().items()}
    features = Vgg16(recipe.loss.features).load(arrays)
    scene, flare = (x.clone().requires_grad_() for x in OUTPUT)
    batch = LabeledBatch(FLARED, CLEAN, FLARE)
    found = {}
    terms = labeled_terms(lambda _: (scene, flare), batch, recipe.loss, features, share=1.0)
    for key, term in terms.items():
        inputs = flare if key.startswith("flare_") else scene
        found[key] = torch.autograd.grad(term, inputs, retain_graph=True)[0]
    whole = Window.whole(SIDE, SIDE)
    samples = [UnlabeledSample(i, f"{i}", LABEL[i], whole, STRONG[i], SAME) for i in range(2)]
    seen = (0.9 * STRONG).requires_grad_()
    terms = UnsupervisedLoss(semi=semi, features=features)(
        lambda _: (seen, seen),
        samples,
        LABEL,
        torch.tensor([True, True]),
        (FLARED, CLEAN),
        epoch=LAST_EPOCH,
        seeds=SEEDS,
    )
    eta = semi.eta_at(LAST_EPOCH)
    for key, term in terms.items():
        found[f"unlabeled_{key}"] = torch.autograd.grad(eta * term, seen, retain_graph=True)[0]
    return found


def gradient(loss: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    x = at.clone().requires_grad_()
    return torch.autograd.grad(loss(x), x)[0]


def shares(gradients: dict[str, Tensor]) -> dict[str, float]:
    norms = {name: float(value.norm()) for name, value in gradients.items()}
    return {name: norm / sum(norms.values()) for name, norm in norms.items()}


@pytest.mark.parametrize("name", ["paper", "ablation/authors-code"])
def test_every_term_has_the_share_of_the_gradient_that_the_formulas_give(name: str) -> None:
    found, wanted = by_recipe(name), by_formula(name)
    assert shares(found) == pytest.approx(shares(wanted), rel=1e-3)
    assert min(shares(wanted).values()) > 1e-5, "every term is there to be measured"
    for key, value in wanted.items():
        torch.testing.assert_close(found[key], value, rtol=1e-3, atol=1e-7, msg=key)
