"""What a recipe may say: typed, checked before anything runs, every number in one place."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from semilar.config import Above0, Folder, Part, Positive, Share, Weight
from semilar.data import CACHE_MEGABYTES, Mixture, PhotoFolder, Synth
from semilar.loss import SupervisedLoss
from semilar.semi import Mixup, Semi


class Simulated(Part):
    """Labeled pairs made on the fly: simulated flares over photographs."""

    kind: Literal["simulated"] = "simulated"
    backgrounds: PhotoFolder
    samples: Positive = 1000
    """Samples of one epoch."""
    side: Positive = 512
    """Short side of the backgrounds kept in memory."""


class Patterns(Part):
    """Labeled pairs by the published protocol: flare patterns from disk over photographs."""

    kind: Literal["patterns"]
    backgrounds: PhotoFolder
    patterns: Folder
    samples: Positive = 8000
    side: Positive = 768


class Pairs(Part):
    """Ready pairs: a folder with `input`/`gt`, `flare`/`clear` and the like."""

    kind: Literal["pairs"]
    folder: Folder


class Authors(Part):
    """The authors' layout: `labeled/{input,GT,LA}`, `unlabeled/input`, `val/{input,GT}`."""

    kind: Literal["authors"]
    folder: Folder


Labeled = Annotated[Simulated | Patterns | Pairs | Authors, Field(discriminator="kind")]


class Stage(Part):
    """A stretch of training with one picture size; several make a curriculum.

    `batch` is the whole batch over all processes; `accumulate` of them make one optimizer step.
    `lr` multiplies the learning rate.
    """

    epochs: Positive | None = None
    steps: Positive | None = None
    crop: Annotated[int, Field(ge=16)] = 512
    batch: Positive = 4
    accumulate: Positive = 1
    synth: Mixture = (Synth(),)
    lr: Above0 = 1.0

    @model_validator(mode="after")
    def _one_length(self) -> "Stage":
        if (self.epochs is None) == (self.steps is None):
            raise ValueError("give either epochs or steps")
        return self


class Net(Part):
    """A network of the registry and its options."""

    name: str = "raliformer"
    options: dict[str, Any] = Field(default_factory=dict)


class Optimizer(Part):
    """Adam, AdamP or Muon with linear warm-up and cosine decay, per step."""

    kind: Literal["adam", "adamp", "muon"] = "adam"
    """See `semilar.train.adamp` and `semilar.train.muon`, which takes no `weight_decay`."""
    lr: Above0 = 1e-4
    betas: tuple[Share, Share] = (0.9, 0.999)
    weight_decay: Weight = 0.0
    warmup: Annotated[int, Field(ge=0)] = 0
    """Steps of linear warm-up."""
    final: Share = 0.1
    """The learning rate at the end, as a share of `lr`."""
    clip: Weight = 0.0
    """Largest norm of the gradient; 0 leaves it alone."""

    @model_validator(mode="after")
    def _decay_is_taken(self) -> "Optimizer":
        if self.kind == "muon" and self.weight_decay:
            raise ValueError("muon takes no weight_decay; set it to 0 or kind to adam or adamp")
        return self


class SimulatedCheck(Part):
    """Held-out simulated pairs; a mixture is measured preset by preset, as `NAME/PRESET`."""

    kind: Literal["simulated"] = "simulated"
    backgrounds: PhotoFolder | None = None
    """Empty takes the files that `labeled.backgrounds.holdout` keeps apart."""
    count: Positive = 32
    size: Positive = 256
    side: Positive = 512
    synth: Mixture = (Synth(),)
    seed: int = 77

    def labels(self, name: str) -> list[str]:
        """What the figures of this set, called `name`, are called."""
        if len(self.synth) == 1:
            return [name]
        return [f"{name}/{synth.preset}" for synth in self.synth]


class PairsCheck(Part):
    """Pairs on disk, at their own size or shrunk to `side`."""

    kind: Literal["pairs"]
    folder: Folder
    side: Positive | None = None
    limit: Positive | None = None
    names: Path | None = None
    """A text file with one name per line, without suffix: only those pairs are taken."""
    outside_mask: bool = False
    """Leave out what is white in the folder's `mask` pictures (FlareX: the hidden lamp)."""

    def labels(self, name: str) -> list[str]:
        """What the figures of this set are called."""
        return [name]


class PhotosCheck(Part):
    """Photos whose truth nobody has, before and after as a scorer sees them: `psnr` is a score."""

    kind: Literal["photos"]
    photos: PhotoFolder | None = None
    """Empty takes the files that `semi.photos.holdout` keeps apart."""
    side: Positive = 384
    limit: Positive | None = 24
    scorer: str = "flare-score"

    def labels(self, name: str) -> list[str]:
        """What the figures of this set are called."""
        return [name]


Check = Annotated[SimulatedCheck | PairsCheck | PhotosCheck, Field(discriminator="kind")]


def _as_weights(value: Any) -> Any:
    return {value: 1.0} if isinstance(value, str) else value


class Validation(Part):
    """What is measured, on which network, and which figure decides the best checkpoint."""

    every: Positive = 500
    network: Literal["teacher", "student"] = "teacher"
    """The one that is measured and becomes `best.safetensors`; the paper takes the student."""
    sets: dict[str, Check] = Field(default_factory=dict)
    best: Annotated[dict[str, float], BeforeValidator(_as_weights)] = Field(default_factory=dict)
    """`SET.psnr` or `SET.gain`, or several with a weight each; empty takes the first set's gain."""
    beat_start: bool = False
    """Measure the weights that the run begins with, and write no `best.safetensors` that is not
    better."""
    start_share: Share = 0.0
    """So much of the weights that are measured and become `best.safetensors` is `init`'s, the rest
    what the network has become: near to what was known, it forgets less of it."""
    worse_by: Weight = 0.3
    """A picture counts as worse when it loses more than this many dB against the input."""

    @model_validator(mode="after")
    def _best_exists(self) -> "Validation":
        allowed = [f"{name}.{figure}" for name in self.measured for figure in ("psnr", "gain")]
        wrong = [figure for figure in self.best if figure not in allowed]
        if wrong:
            raise ValueError(f"best: {wrong[0]} is none of {', '.join(allowed) or '(no sets)'}")
        return self

    @property
    def measured(self) -> list[str]:
        """The names under which figures appear: those of the sets, mixtures preset by preset."""
        return [label for name, check in self.sets.items() for label in check.labels(name)]


class Machine(Part):
    """Where and how it runs; nothing here changes what is learned, up to rounding."""

    accelerator: str = "auto"
    devices: int | Literal["auto"] = 1
    nodes: Positive = 1
    strategy: str = "auto"
    precision: Literal["32-true", "bf16-mixed"] = "32-true"
    threads: Annotated[int, Field(ge=0)] = 0
    """Threads of the training process; 0 leaves it to torch."""
    workers: Annotated[int, Field(ge=0)] = 2
    prefetch: Positive = 4
    channels_last: bool = False
    compile: bool = False
    """Let `torch.compile` fuse the network; needs a C++ compiler, and minutes at the start."""
    cache_megabytes: Positive = CACHE_MEGABYTES
    """Decoded photographs kept in memory by each worker."""


class Recipe(Part):
    """All of a training run."""

    name: str
    run: Path
    """The run folder."""
    seed: Annotated[int, Field(ge=0)] = 2026
    net: Net = Net()
    init: Path | None = None
    """Weights to start from: a `best.safetensors` of another run, or the name of a model that comes
    with the package."""
    labeled: Labeled
    stages: Annotated[tuple[Stage, ...], Field(min_length=1)]
    loss: SupervisedLoss = SupervisedLoss()
    optimizer: Optimizer = Optimizer()
    teacher_momentum: Share = 0.999
    mixup: Mixup = Mixup()
    semi: Semi | None = None
    validation: Validation = Validation()
    checkpoint_every: Positive = 500
    checkpoints_kept: Annotated[int, Field(ge=2)] = 2
    log_every: Positive = 10
    bad_steps: Positive = 5
    """So many steps in a row without a finite loss end the run."""
    tensorboard: bool = True
    machine: Machine = Machine()

    @model_validator(mode="after")
    def _features_for_contrast(self) -> "Recipe":
        wanted = self.semi is not None and self.semi.needs_features()
        if wanted and self.loss.features.kind == "none":
            raise ValueError(
                "semi.contrastive and semi.perceptual need loss.features.kind vgg16; "
                "set their weights to 0 to go without features"
            )
        return self

    @model_validator(mode="after")
    def _share_of_something(self) -> "Recipe":
        if self.validation.start_share and self.init is None:
            raise ValueError("validation.start_share needs weights to start from: init")
        return self

    @model_validator(mode="after")
    def _contrast_has_its_layer(self) -> "Recipe":
        if self.semi is None or not self.semi.contrastive.weight:
            return self
        layer, layers = self.semi.contrastive.layer, self.loss.features.layers
        if layer not in layers:
            raise ValueError(
                f"semi.contrastive.layer {layer} is none of loss.features.layers,"
                f" which are {', '.join(layers)}"
            )
        return self
