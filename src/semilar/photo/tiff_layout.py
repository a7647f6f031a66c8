"""The directories of a TIFF file (TIFF 6.0 and BigTIFF): reading them, and writing one anew."""

import struct
from dataclasses import dataclass

_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
_SIZES |= {16: 8, 17: 8, 18: 8}  # BigTIFF
_WHOLE_NUMBERS = {1: "B", 3: "H", 4: "I", 16: "Q"}
_LONG = 4
_MOST_ENTRIES, _MOST_PAGES = 4096, 100_000
_SUBFILE = 254
_SMALLER_OR_MASK = 1 | 4  # bits of NewSubfileType: no page of its own


@dataclass(frozen=True)
class TiffEntry:
    """The value of one tag as its bytes."""

    type: int
    count: int
    raw: bytes


@dataclass(frozen=True)
class Directory:
    """The tags of one page."""

    order: str  # of bytes, as `struct` writes it: < or >
    big: bool
    entries: dict[int, TiffEntry]
    next: int  # offset of the next page's directory, 0 at the end

    def numbers(self, tag: int, default: tuple[int, ...] = ()) -> tuple[int, ...]:
        """All values of a tag of whole numbers."""
        entry = self.entries.get(tag)
        if entry is None or entry.type not in _WHOLE_NUMBERS:
            return default
        return struct.unpack(f"{self.order}{entry.count}{_WHOLE_NUMBERS[entry.type]}", entry.raw)

    def number(self, tag: int, default: int = 0) -> int:
        """The first value of a tag of whole numbers."""
        return (self.numbers(tag) or (default,))[0]

    def part(self, tag: int, index: int, parts: int) -> TiffEntry:
        """One of `parts` equal parts of a tag's values."""
        entry = self.entries[tag]
        length = len(entry.raw) // parts
        raw = entry.raw[index * length : (index + 1) * length]
        return TiffEntry(entry.type, entry.count // parts, raw)


def first_directory(content: bytes) -> Directory:
    """The directory of the first page; ValueError if the file makes no sense."""
    order, big = _kind(content)
    return _directory(content, _at(f"{order}{'Q' if big else 'I'}", content, 8 if big else 4)[0])


def count_pages(content: bytes) -> int:
    """How many pictures a file holds, without smaller copies and masks of others."""
    page = first_directory(content)
    count, seen = 1, set()
    while page.next and page.next not in seen and len(seen) < _MOST_PAGES:
        seen.add(page.next)
        try:
            page = _directory(content, page.next)
        except ValueError:  # a chain that ends in nonsense ends there
            break
        count += not page.number(_SUBFILE) & _SMALLER_OR_MASK
    return count


def with_directory(
    content: bytes, page: Directory, changed: dict[int, int | TiffEntry | None]
) -> bytes:
    """The file with one page: `page` with some tags changed, or left out (None)."""
    entries: dict[int, TiffEntry] = dict(page.entries)
    for tag, value in changed.items():
        if value is None:
            entries.pop(tag, None)
        elif isinstance(value, int):
            entries[tag] = TiffEntry(_LONG, 1, struct.pack(f"{page.order}I", value))
        else:
            entries[tag] = value
    start = len(content) + len(content) % 2
    number = "Q" if page.big else "I"
    room = 8 if page.big else 4
    head = struct.pack(f"{page.order}{'Q' if page.big else 'H'}", len(entries))
    behind = start + len(head) + len(entries) * (4 + 2 * room) + room
    table, values = b"", b""
    for tag, entry in sorted(entries.items()):
        stored = entry.raw.ljust(room, b"\0")
        if len(entry.raw) > room:
            stored = struct.pack(f"{page.order}{number}", behind + len(values))
            values += entry.raw + b"\0" * (len(entry.raw) % 2)
        table += struct.pack(f"{page.order}HH{number}", tag, entry.type, entry.count) + stored
    pointer = struct.pack(f"{page.order}{number}", start)
    body = content[8 + (8 if page.big else 0) :].ljust(start - (16 if page.big else 8), b"\0")
    end = b"\0" * room
    return content[: 8 if page.big else 4] + pointer + body + head + table + end + values


def _kind(content: bytes) -> tuple[str, bool]:
    """Byte order, and whether it is a BigTIFF."""
    order = {b"II": "<", b"MM": ">"}.get(content[:2])
    magic = _at(f"{order}H", content, 2)[0] if order else 0
    if order is None or magic not in (42, 43):
        raise ValueError("no TIFF header")
    return order, magic == 43


def _directory(content: bytes, start: int) -> Directory:
    order, big = _kind(content)
    number, room = ("Q", 8) if big else ("I", 4)
    count = _at(f"{order}{'Q' if big else 'H'}", content, start)[0]
    if count > _MOST_ENTRIES:
        raise ValueError("a directory of too many tags")
    at = start + (8 if big else 2)
    entries: dict[int, TiffEntry] = {}
    for _ in range(count):
        tag, kind, length = _at(f"{order}HH{number}", content, at)
        place, size = at + 4 + room, length * _SIZES.get(kind, 1)
        if size > room:
            place = _at(f"{order}{number}", content, place)[0]
        if place + size <= len(content):  # others do without a tag that points behind the end
            entries.setdefault(tag, TiffEntry(kind, length, content[place : place + size]))
        at += 4 + 2 * room
    return Directory(order, big, entries, _at(f"{order}{number}", content, at)[0])


def _at(form: str, content: bytes, offset: int) -> tuple[int, ...]:
    try:
        return struct.unpack_from(form, content, offset)
    except (struct.error, OverflowError):
        raise ValueError("the file ends within a directory") from None
