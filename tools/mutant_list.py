"""The mutants of `tools/mutants.py`: a text, what it becomes, and which tests must notice."""

from dataclasses import dataclass

STEP = "tests/train/test_by_hand.py"
PAPER = "tests/train/test_paper_recipes.py"
SHARES = "tests/loss/test_shares.py"
BLOCKS = "tests/net/test_blocks.py"
PSEUDO = "tests/semi/test_pseudo.py"
SWAP = "tests/semi/test_swap.py"
LAYERS = "tests/flare/test_protocol_layers.py"
MUSIQ = "tests/quality/scorers/test_musiq.py::test_the_encoder_is_what_its_authors_write"
FILES = "tests/data/test_files.py::test_the_student_is_given_the_strong_view_of_its_window"
NETWORKS = "tests/train/test_loop.py::test_the_chosen_network_is_measured_and_both_are_kept"
ALONE = "tests/train/test_recipe.py::test_unlabeled_terms_alone_get_their_features"


@dataclass(frozen=True)
class Mutant:
    """One way to be wrong; `old` stands exactly once in the file."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def _source(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    return Mutant(name, f"src/semilar/{file}", old, new, tests)


MUTANTS = (
    _source(
        "eta dropped from the backward pass",
        "train/loop.py",
        "total(terms) * (share * eta)",
        "total(terms) * share",
        STEP,
    ),
    _source(
        "positive and negative swapped by the caller",
        "loss/contrastive.py",
        "            positive,\n            negative,\n            temperature",
        "            negative,\n            positive,\n            temperature",
        STEP,
    ),
    _source(
        "positive and negative swapped in the loss",
        "loss/contrastive.py",
        "logits = torch.cat([to_positive, to_negative], dim=-1)",
        "logits = torch.cat([to_negative, to_positive], dim=-1)",
        STEP,
    ),
    _source(
        "lambda_cr ignored",
        "semi/unsupervised.py",
        'terms["contrastive"] = contrast * keep_valid',
        'terms["contrastive"] = keep_valid',
        STEP,
    ),
    _source(
        "lambda_1 of unlabeled photos ignored",
        "semi/unsupervised.py",
        "self.semi.pixel * keep_valid(pixel, valid)",
        "keep_valid(pixel, valid)",
        STEP,
    ),
    _source(
        "lambda_1 of labeled pictures ignored",
        "loss/supervised.py",
        'terms["pixel"] = self.pixel * pixel_loss',
        'terms["pixel"] = pixel_loss',
        STEP,
    ),
    _source(
        "validity mask ignored in the loss",
        "loss/pixel.py",
        "torch.where(valid, per_picture, torch.zeros_like(per_picture)).mean()",
        "per_picture.mean()",
        STEP,
    ),
    _source(
        "validity mask ignored for pixels",
        "semi/unsupervised.py",
        "keep_valid(pixel, valid)",
        "pixel.mean()",
        STEP,
    ),
    _source(
        "validity mask always true",
        "semi/pseudo.py",
        "stacked.mean(dim=(1, 2, 3)) >= self.rule.valid",
        "stacked.mean(dim=(1, 2, 3)) >= 0",
        STEP,
    ),
    _source(
        "mixup leaves targets unmixed",
        "train/objective.py",
        "(mix(x, share) for x in (batch.input, batch.target, batch.flare))",
        "(mix(batch.input, share), batch.target, batch.flare)",
        STEP,
    ),
    _source(
        "mixup ignores its start",
        "semi/mixup.py",
        "if mixed and epoch >= self.start_epoch",
        "if mixed",
        STEP,
    ),
    _source(
        "teacher momentum of the recipe ignored",
        "train/start.py",
        "Teacher(net, momentum=recipe.teacher_momentum)",
        "Teacher(net, momentum=0.999)",
        STEP,
    ),
    _source(
        "learning rate of the recipe ignored by the schedule",
        "train/schedule.py",
        "return optimizer.lr * factor * share",
        "return 1e-4 * factor * share",
        STEP,
    ),
    _source(
        "learning rate of the schedule ignored",
        "train/loop.py",
        'group["lr"] = lr',
        "pass",
        STEP,
    ),
    _source(
        "betas of the recipe ignored",
        "train/network.py",
        "betas=spec.betas, weight_decay",
        "betas=(0.9, 0.999), weight_decay",
        STEP,
    ),
    _source(
        "student given the weakly augmented photo by the objective",
        "semi/unsupervised.py",
        "sample.strong for sample in samples",
        "sample.window.take(sample.frame) for sample in samples",
        STEP,
    ),
    _source(
        "student given the weakly augmented photo by the data",
        "data/unlabeled.py",
        "frame, window, strong, colour)",
        "frame, window, window.take(frame), colour)",
        FILES,
    ),
    _source(
        "PSCBlock subtracts the channel branch",
        "net/blocks.py",
        "self.attention(normal) + self.channel(normal)",
        "self.attention(normal) - self.channel(normal)",
        BLOCKS,
    ),
    _source(
        "PSCBlock without its first residual",
        "net/blocks.py",
        "features = features + self._dropped(self.attention",
        "features = self._dropped(self.attention",
        BLOCKS,
    ),
    _source(
        "PSCBlock without its second residual",
        "net/blocks.py",
        "return features + self._dropped(self.feed",
        "return self._dropped(self.feed",
        BLOCKS,
    ),
    _source(
        "skips ignored with skip=add",
        "net/raliformer.py",
        "return features + skipped",
        "return features",
        BLOCKS,
    ),
    _source(
        "the scorer sees another candidate",
        "semi/pseudo.py",
        "[candidates[i] for i in places]",
        "[candidates[i] for i in reversed(places)]",
        PSEUDO,
    ),
    _source(
        "the scorer sees the photo",
        "semi/pseudo.py",
        "self._scores(candidates, refused, samples)",
        "self._scores([sample.frame for sample in samples], refused, samples)",
        PSEUDO,
    ),
    _source(
        "the scorer is shown another photo",
        "semi/pseudo.py",
        "[samples[i].frame for i in places]",
        "[samples[i].frame for i in reversed(places)]",
        PSEUDO,
    ),
    _source(
        "the scorer sees the unbounded answer",
        "semi/pseudo.py",
        "bounded = self.rule.bound(answer, picture)",
        "bounded = answer",
        PSEUDO,
    ),
    _source(
        "labels show the flared photo outside the student's window",
        "semi/pseudo.py",
        "candidates.append(window.take(bounded))",
        "at = samples[len(candidates)]; "
        "candidates.append(at.window.put(at.window.take(window.take(bounded)), at.frame))",
        PSEUDO,
    ),
    _source(
        "protocol without offset",
        "flare/protocol.py",
        "flare += np.float32(draw.offset)",
        "flare += np.float32(0)",
        LAYERS,
    ),
    _source(
        "protocol without colour jitter",
        "flare/protocol.py",
        "flare *= np.float32(draw.brightness)",
        "flare *= np.float32(1)",
        LAYERS,
    ),
    _source(
        "protocol without blur",
        "flare/protocol.py",
        "    flare = gaussian_blur(flare, sigma)\n",
        "",
        LAYERS,
    ),
    _source(
        "protocol without light subtraction",
        "flare/protocol.py",
        "    flare -= light\n",
        "",
        LAYERS,
    ),
    _source(
        "protocol without shear",
        "flare/protocol.py",
        "for degrees in draw.shear)",
        "for degrees in (0.0, 0.0))",
        LAYERS,
    ),
    _source(
        "paper.yaml with betas 0.5",
        "recipes/paper.yaml",
        "betas: [0.9, 0.99]",
        "betas: [0.5, 0.5]",
        PAPER,
    ),
    _source(
        "paper.yaml with lambda_2 50",
        "recipes/paper.yaml",
        "  perceptual: 0.5\n",
        "  perceptual: 50\n",
        PAPER,
    ),
    _source(
        "paper.yaml with lambda_3 0",
        "recipes/paper.yaml",
        "  fft: 0.2\n",
        "  fft: 0.0\n",
        PAPER,
    ),
    _source(
        "paper.yaml without mixup",
        "recipes/paper.yaml",
        "probability: 0.7",
        "probability: 0.0",
        PAPER,
    ),
    _source(
        "paper.yaml with scorer none",
        "recipes/paper.yaml",
        "scorer: musiq",
        "scorer: none",
        PAPER,
    ),
    _source(
        "MUSIQ without scale embedding",
        "quality/scorers/musiq.py",
        '        tokens = tokens + self.scaleembed_input["scale_emb"][patches.scale]\n',
        "",
        MUSIQ,
    ),
    _source(
        "MUSIQ with ReLU for GELU",
        "quality/scorers/musiq.py",
        "functional.gelu(",
        "functional.relu(",
        MUSIQ,
    ),
    _source(
        "MUSIQ without activation",
        "quality/scorers/musiq.py",
        "functional.gelu(",
        "(",
        MUSIQ,
    ),
    _source(
        "perceptual layers summed",
        "loss/perceptual.py",
        ").mean(dim=0)",
        ").sum(dim=0)",
        SHARES,
    ),
    _source(
        "features normalised in paper.yaml",
        "recipes/paper.yaml",
        "normalize: false",
        "normalize: true",
        SHARES,
    ),
    _source(
        "the teacher is measured whatever the recipe says",
        "train/loop.py",
        'self.teacher.net if rule.network == "teacher" else self.net.eval()',
        "self.teacher.net",
        NETWORKS,
    ),
    _source(
        "the perceptual term of unlabeled photos alone is dropped",
        "semi/settings.py",
        "bool(self.contrastive.weight or self.perceptual)",
        "self.contrastive.weight > 0",
        ALONE,
    ),
    _source(
        "swapped flares: the weight ignored",
        "semi/unsupervised.py",
        '"swap": swap.weight * 2 * keep_valid',
        '"swap": 2 * keep_valid',
        SWAP,
    ),
    _source(
        "swapped flares: the gain ignored",
        "semi/swap.py",
        ".clamp(min=0) * gain",
        ".clamp(min=0)",
        SWAP,
    ),
    _source(
        "swapped flares: the photo's label keeps the photo's flare",
        "semi/swap.py",
        "_lay_over(label, photo, flared, clean,",
        "_lay_over(photo, photo, flared, clean,",
        SWAP,
    ),
    _source(
        "the teacher sees a photo from one side only",
        "semi/pseudo.py",
        "mean_of_views(run, x.numpy(), self.views)",
        "mean_of_views(run, x.numpy(), 1)",
        PSEUDO,
    ),
)
