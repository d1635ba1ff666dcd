"""Settings of a sandbox; the defaults are the specification's where it has one."""

from dataclasses import dataclass
from typing import TypeVar

Behaviour = TypeVar("Behaviour")


@dataclass(frozen=True, slots=True)
class Quota:
    """So many requests, or creations, of each seller in each window."""

    requests: int
    seconds: float
    """The window's length in sandbox time."""


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """The behaviour of a sandbox. All durations are sandbox time."""

    primary_channel: str = "PRIMARY"
    channels: tuple[str, ...] = ("PRIMARY", "SECOND")
    token: str = "sandbox"  # noqa: S105 - the one that everybody may know
    forbidden_token: str = "forbidden"  # noqa: S105 - known to the service, and allowed nothing
    quota: Quota | None = None
    """Of the requests that a route counts."""
    parts: tuple[object, ...] = ()
    """The behaviour of parts, each a value of a class of theirs."""

    def of(self, kind: type[Behaviour]) -> Behaviour:
        """The chosen value of a part's class of behaviour, or its defaults."""
        return next((given for given in self.parts if isinstance(given, kind)), None) or kind()
