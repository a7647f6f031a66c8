"""Sort the photographs of the bundled model's data list into folders for training and testing.

    python tools/select_backgrounds.py --photos DIR [DIR ...] --out DIR

Reads `tools/bundled-data.csv` (file, use, licence, author, checksum), checks every file and links
it into OUT/train, OUT/test or OUT/unlabeled. Night photographs of the training part also serve as
unlabeled photos. Exits with 2 and the names if a file is missing or differs.
"""

import argparse
import csv
import hashlib
import sys
from pathlib import Path

LIST = Path(__file__).with_name("bundled-data.csv")


def folders(row: dict[str, str]) -> list[str]:
    """Where one photograph goes; dropped ones go nowhere."""
    places = [row["use"]] if row["use"] in ("train", "test", "unlabeled") else []
    if row["use"] == "train" and row["night"]:
        places.append("unlabeled")
    return places


def main() -> int:
    """Link the files; the number of files per folder is printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--photos", type=Path, nargs="+", required=True, help="the folders of photographs"
    )
    parser.add_argument("--out", type=Path, required=True, help="gets train/, test/, unlabeled/")
    options = parser.parse_args()
    counts: dict[str, int] = {}
    wrong = []
    for row in csv.DictReader(LIST.open(encoding="utf-8")):
        places = [folder / row["file"] for folder in options.photos]
        source = next((place.resolve() for place in places if place.is_file()), None)
        if source is None or hashlib.sha256(source.read_bytes()).hexdigest() != row["sha256"]:
            wrong.append(row["file"])
            continue
        for place in folders(row):
            link = options.out / place / row["file"]
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(source)
            counts[place] = counts.get(place, 0) + 1
    for name in wrong:
        print(f"{name}: is missing or not the listed file.", file=sys.stderr)
    print(", ".join(f"{place}: {count}" for place, count in sorted(counts.items())))
    return 2 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
