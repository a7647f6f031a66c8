"""Checkpoints: one safetensors file each, written whole, checked when read.

A file holds the student, the teacher, the optimizer's state as tensors, and as JSON in its header
the step, the counters and a checksum. A file that is damaged is passed over for the one before.
"""

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from semilar.errors import SemilarError
from semilar.files import write_bytes

Tensors = dict[str, Tensor]


@dataclass
class Checkpoint:
    """Everything a run needs to go on: tensors by name, and plain values for the header."""

    step: int
    student: Tensors
    teacher: Tensors
    optimizer: dict[str, Any]
    values: dict[str, Any] = field(default_factory=dict)


def checkpoint_path(folder: Path, step: int) -> Path:
    """Where the checkpoint after `step` steps lies."""
    return folder / f"step-{step:08d}.safetensors"


def saved_steps(folder: Path) -> list[int]:
    """The steps of all checkpoints, oldest first."""
    return sorted(
        int(path.stem.removeprefix("step-")) for path in folder.glob("step-*.safetensors")
    )


def save_checkpoint(folder: Path, checkpoint: Checkpoint, *, keep: int) -> None:
    """Write a checkpoint, then drop all but the newest `keep`."""
    tensors, groups = _flatten_optimizer(checkpoint.optimizer)
    for part in ("student", "teacher"):
        tensors |= {f"{part}.{name}": value for name, value in getattr(checkpoint, part).items()}
    header = {"step": checkpoint.step, "groups": groups, "values": checkpoint.values}
    write_tensors(checkpoint_path(folder, checkpoint.step), tensors, header)
    for step in saved_steps(folder)[:-keep]:
        checkpoint_path(folder, step).unlink(missing_ok=True)


def load_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; SemilarError where it is damaged."""
    tensors, header = read_tensors(path)
    state, parts = {}, {"student": {}, "teacher": {}}
    for name, value in tensors.items():
        part, _, rest = name.partition(".")
        if part == "optimizer":
            index, _, key = rest.partition(".")
            state.setdefault(int(index), {})[key] = value
        else:
            parts[part][rest] = value
    optimizer = {"state": state, "param_groups": header["groups"]}
    return Checkpoint(
        header["step"], parts["student"], parts["teacher"], optimizer, header["values"]
    )


def load_newest(folder: Path) -> tuple[Checkpoint, list[str]]:
    """The newest whole checkpoint, and a message for each damaged one that was skipped."""
    complaints = []
    for step in reversed(saved_steps(folder)):
        try:
            return load_checkpoint(checkpoint_path(folder, step)), complaints
        except SemilarError as error:
            complaints.append(str(error))
    for complaint in complaints:
        raise SemilarError(complaint)
    raise SemilarError(f"{folder}: no checkpoint to resume from.")


def write_tensors(path: Path, tensors: Tensors, header: dict[str, Any]) -> None:
    """Write tensors and a JSON header to one safetensors file, whole or not at all."""
    flat = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    header = {**header, "checksum": _checksum(flat)}
    try:
        write_bytes(path, save(flat, metadata={"semilar": json.dumps(header)}))
    except (OSError, SafetensorError) as error:
        raise SemilarError(f"{path}: could not be written ({error}).") from error


def read_tensors(path: Path) -> tuple[Tensors, dict[str, Any]]:
    """What `write_tensors` wrote; SemilarError where the file is missing or damaged."""
    try:
        with safe_open(path, framework="pt") as file:
            header = json.loads((file.metadata() or {})["semilar"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise SemilarError(f"{path}: no such checkpoint.") from None
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise SemilarError(f"{path}: damaged or not a checkpoint ({error}).") from None
    if _checksum(tensors) != header["checksum"]:
        raise SemilarError(f"{path}: damaged (its checksum is wrong).")
    return tensors, header


def _checksum(tensors: Tensors) -> int:
    total = 0
    for name in sorted(tensors):
        raw = tensors[name].contiguous().reshape(-1).view(torch.uint8).numpy().data
        total = zlib.crc32(raw, zlib.crc32(name.encode(), total))
    return total


def _flatten_optimizer(state: dict[str, Any]) -> tuple[Tensors, list[dict[str, Any]]]:
    tensors = {
        f"optimizer.{index}.{name}": torch.as_tensor(value)
        for index, values in state["state"].items()
        for name, value in values.items()
    }
    return tensors, state["param_groups"]
