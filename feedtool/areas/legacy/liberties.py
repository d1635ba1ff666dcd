"""What an Offers.xml has otherwise than the format demands: counted, the first places kept."""

from dataclasses import dataclass, field

NAMED = 5
"""Lines that are told of each liberty."""
MOST = 40
"""Liberties that are told one by one; a hostile file could have millions."""
LONGEST = 60
"""Characters of a name out of the file that are told."""


@dataclass(slots=True)
class _Places:
    count: int = 0
    lines: list[int] = field(default_factory=list)


class Liberties:
    """How often each was taken, and where first."""

    def __init__(self) -> None:
        self._places: dict[str, _Places] = {}
        self._lost: set[str] = set()

    def note(self, what: str, line: int, *, loses: bool = False) -> None:
        """Counts one; `loses` says that something of the file is not read."""
        places = self._places.get(what)
        if places is None:
            if len(self._places) >= MOST:
                what = "other things are not as the format demands"
            places = self._places.setdefault(what, _Places())
        if loses:
            self._lost.add(what)
        places.count += 1
        if len(places.lines) < NAMED and line not in places.lines:
            places.lines.append(line)

    def texts(self) -> list[str]:
        """One for each, in the order in which they were met: what, how often, and where."""
        return [_text(what, places) for what, places in self._places.items()]

    def losses(self) -> list[tuple[int, str]]:
        """Those by which something is lost: the first line of each, and its text."""
        return [
            (places.lines[0], _text(what, places))
            for what, places in self._places.items()
            if what in self._lost
        ]


def _text(what: str, places: _Places) -> str:
    if places.count == 1:
        return f"{what} (line {places.lines[0]})"
    first = "line" if len(places.lines) == 1 else "lines"
    lines = ", ".join(map(str, places.lines))
    return f"{what} ({places.count:,} times, first in {first} {lines})"


def told(name: str) -> str:
    """A name out of the file, so that it can be told: short and without what steers a terminal."""
    clean = "".join(letter if letter.isprintable() else "\ufffd" for letter in name[: LONGEST + 1])
    return clean if len(clean) <= LONGEST else clean[: LONGEST - 1] + "…"
