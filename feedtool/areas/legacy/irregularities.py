"""The irregularities of an Offers.xml: each deviation from the format, its count and lines."""

from msgspec import Struct, field

from feedtool.model.text import MessageText, joined, tr

LINES = 5
"""The most lines that are listed for an irregularity."""
MOST = 40
"""The most irregularities that are listed separately; a hostile file could have millions."""
LONGEST = 60
"""The most characters that are shown of a name in the file."""


class _Irregularity(Struct):
    text: str
    is_loss: bool = False
    count: int = 0
    lines: list[int] = field(default_factory=list)

    @property
    def summary(self) -> MessageText:
        """The text, the count, and the lines."""
        if self.count == 1:
            return tr("{text} (line {line})", text=self.text, line=self.lines[0])
        values = {"text": self.text, "count": self.count, "lines": joined(self.lines)}
        if len(self.lines) == 1:
            return tr("{text} ({count:,} times, first in line {lines})", **values)
        return tr("{text} ({count:,} times, first in lines {lines})", **values)


class Irregularities:
    """The irregularities of a file, in the order of their first occurrence."""

    def __init__(self) -> None:
        self._by_text: dict[str, _Irregularity] = {}

    def note(self, text: str, line: int, *, is_loss: bool = False, is_once: bool = False) -> None:
        """Count an irregularity, only once if `is_once`.

        `is_loss` means that it keeps a part of the file from being read.
        """
        if text not in self._by_text and len(self._by_text) >= MOST:
            text = tr("other things are not as the format demands")
        item = self._by_text.setdefault(text, _Irregularity(text))
        if is_once and item.count:
            return
        item.is_loss |= is_loss
        item.count += 1
        if len(item.lines) < LINES and line not in item.lines:
            item.lines.append(line)

    def texts(self) -> list[str]:
        return [item.summary for item in self._by_text.values()]

    def losses(self) -> list[tuple[int, str]]:
        return [(item.lines[0], item.summary) for item in self._by_text.values() if item.is_loss]


def printable_name(name: str) -> str:
    """Return a name of the file, short and without control characters for terminals."""
    clean = "".join(letter if letter.isprintable() else "\ufffd" for letter in name[: LONGEST + 1])
    return clean if len(clean) <= LONGEST else clean[: LONGEST - 1] + "…"
