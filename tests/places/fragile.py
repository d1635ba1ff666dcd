"""A process killed in the midst of its work: it makes one call less each time."""

from inspect import isawaitable
from typing import Any


class Killed(BaseException):
    """The end of a process: feedtool never catches it."""


class Fragile:
    """A place, or a library, of which the call of a number is the last one that we live to see.

    We are killed before it is done, or after; and then do nothing any more, as `finally` would.
    """

    def __init__(self, whole: Any, last: int, *, is_done: bool) -> None:
        self._whole, self._left, self._is_done = whole, last, is_done

    def around(self, whole: Any) -> "Fragile":
        """Wrap another object, with the same count."""
        self._whole = whole
        return self

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._whole, name)
        if not callable(value) or isinstance(value, type):
            return value

        def call(*arguments: object, **named: object) -> Any:
            self._left -= 1
            if self._left < 0 or (self._left == 0 and not self._is_done):
                raise Killed
            result = value(*arguments, **named)
            if isawaitable(result):
                return self._awaited(result)
            return self._returned(result)

        return call

    async def _awaited(self, result: Any) -> Any:
        return self._returned(await result)

    def _returned(self, result: Any) -> Any:
        if self._left == 0:
            raise Killed
        return result

    @property
    def is_over(self) -> bool:
        """True if all calls were made before the last call's turn."""
        return self._left > 0
