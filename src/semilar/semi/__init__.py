"""Learning from unlabeled photos (section 3): teacher, repository, pseudo labels, their loss."""

from semilar.semi.mixup import Mixup, mix
from semilar.semi.pseudo import PseudoLabeler
from semilar.semi.report import Stats, find_entry, frame_of, page, stats, to_picture
from semilar.semi.repository import Repository
from semilar.semi.rule import UpdateRule
from semilar.semi.settings import Semi
from semilar.semi.shards import MergedRepository, reshard, shard_path
from semilar.semi.teacher import Teacher
from semilar.semi.truth import TrueScenes
from semilar.semi.unsupervised import Forward, UnsupervisedLoss

__all__ = [
    "Forward",
    "MergedRepository",
    "Mixup",
    "PseudoLabeler",
    "Repository",
    "Semi",
    "Stats",
    "Teacher",
    "TrueScenes",
    "UnsupervisedLoss",
    "UpdateRule",
    "find_entry",
    "frame_of",
    "mix",
    "page",
    "reshard",
    "shard_path",
    "stats",
    "to_picture",
]
