"""The counts of tools/room_map.py on a package whose imports can be counted by eye."""

import ast
from collections import Counter

from tools import room_map

DOOR = """from semilar.errors import E
from semilar.photo.light import x
from semilar.photo.sizes import sizes
"""
SMALL = {
    "__init__.py": "from semilar.restore import remove\n",
    "errors.py": "",
    "photo/__init__.py": DOOR,
    "photo/light.py": "def f():\n    from semilar.train.loop import late\n",
    "photo/sizes.py": "def sizes(): ...\n",
    "train/loop.py": "import numpy\nfrom semilar import photo\nfrom semilar.photo.light import y\n",
    "train/start.py": "from semilar.photo import light\n",
    "train/stop.py": "from semilar.photo import sizes\n",
}


def test_imports_are_those_between_rooms() -> None:
    found = {(one.file, one.module) for one in room_map.imports(SMALL)}
    assert found == {
        ("photo/__init__.py", "semilar.errors"),
        ("photo/light.py", "semilar.train.loop"),
        ("train/loop.py", "semilar.photo"),
        ("train/loop.py", "semilar.photo.light"),
        ("train/start.py", "semilar.photo.light"),
        ("train/stop.py", "semilar.photo"),
    }


def test_the_table() -> None:
    assert room_map.row(SMALL) == {
        "files": "8",
        "lines": "12",
        "largest file": "3 (photo/__init__.py)",
        "edges between rooms": "3",
        "edges against the order": "1",
        "imports past the door": "3",
    }


def test_every_room_has_its_level() -> None:
    rooms = {room_map.room_of(file) for file in room_map.sources_now()}
    assert rooms - {"__init__", "__main__"} == set(room_map.levels())


OPEN = {
    "semilar.quality.scorers": "a room within the room, with an __init__ of its own",
    "semilar.net.onnx_export": "needs the onnx package, which the rest of the room does without",
}


def test_rooms_are_entered_by_their_doors() -> None:
    """What a room gives to others is in its `__init__`; its modules are its own."""
    past = [
        (one.file, one.module)
        for one in room_map.imports(room_map.sources_now())
        if one.module.count(".") > 1 and one.module not in OPEN
    ]
    assert not past


def test_what_is_open_is_used() -> None:
    used = {one.module for one in room_map.imports(room_map.sources_now())}
    assert set(OPEN) <= used


def test_no_two_classes_have_one_name() -> None:
    """But for `Model`, which the description of the service's answers has to call so too."""
    trees = (ast.parse(text) for text in room_map.sources_now().values())
    names = Counter(
        node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == ["Model"]
