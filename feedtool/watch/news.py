"""What a watcher tells: each line, and of what stays as it is only the first."""

from collections.abc import Callable

Tell = Callable[[str, str], None]
"""Told of a word for what has happened, and of one line."""


class News:
    """Lines for whoever keeps an eye on the watcher. Threads may share it."""

    def __init__(self, tell: Tell) -> None:
        self.tell = tell
        self._last: dict[str, str] = {}

    def once(self, key: str, label: str, text: str) -> None:
        """Tell it, unless it is what was last told under this key."""
        if self._last.get(key) != text:
            self._last[key] = text
            self.tell(label, text)

    def is_over(self, key: str) -> None:
        """What was told under this key is so no more: the next time it is new."""
        self._last.pop(key, None)
