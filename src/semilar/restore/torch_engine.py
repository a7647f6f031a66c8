"""PyTorch: the engine of the training room, for models that are not exported yet and for GPUs."""

from typing import Any

from safetensors import SafetensorError, safe_open

from semilar.errors import ModelError
from semilar.extras import load_extra
from semilar.photo import Floats
from semilar.restore.models import Model
from semilar.weights import ModelCard


class TorchEngine:
    """A network of the registry with weights from a safetensors file.

    The network's name and options come from the model's card.
    """

    def __init__(self, model: Model, *, device: str = "cpu", threads: int = 1) -> None:
        self.torch = load_extra("torch", "train")
        self.device = self._device(device)
        net = load_network(model)
        self.net = net.to(self.device)
        if device == "cpu":
            self.torch.set_num_threads(threads)

    def _device(self, name: str) -> Any:
        try:
            self.torch.empty(1, device=name)
        except (RuntimeError, AssertionError):
            there = ["cpu", *(["cuda"] if self.torch.cuda.is_available() else [])]
            raise ModelError(
                f"{name}: the torch engine has no such device here; it has {', '.join(there)}."
            ) from None
        return self.torch.device(name)

    def run(self, image: Floats) -> tuple[Floats, Floats]:
        """See `semilar.restore.engines.Engine`."""
        with self.torch.inference_mode():
            scene, flare = self.net(self.torch.from_numpy(image).to(self.device))
        return scene.float().cpu().numpy(), flare.float().cpu().numpy()


def load_network(model: Model) -> Any:
    """The network of `model` as its card names it, with its weights, in evaluation mode."""
    load_extra("torch", "train")
    from semilar.net import build

    path = model.need_safetensors()
    try:
        with safe_open(path, framework="pt") as file:
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: is not a model that can be run ({error}).") from None
    spec = model.card.net or ModelCard.read(path).net
    if spec is None:
        raise ModelError(f"{path}: does not say which network it holds weights for.")
    net = build(spec.name, **spec.options)
    try:
        net.load_state_dict(state)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[0]
        raise ModelError(f"{path}: does not fit {spec.name} ({reason}).") from None
    return net.eval()
