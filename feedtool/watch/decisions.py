"""Decide the account and kind of a file of the inbox, and the next step of a claimed one. Pure.

`places.sightings` decides which files are whole. A crash may follow each step, and another process
may go on. So a step follows from the state that is found, not from the steps before.
"""

from collections.abc import Collection
from enum import Enum
from pathlib import PurePosixPath

from msgspec import Struct

from feedtool.ledger.claims import ClaimState


class ClaimStep(Enum):
    """A step of a claim."""

    TAKE_IN = "move it from the inbox to processing"
    SEND = "send it"
    GO_ON = "go on with its run"
    FILE_AWAY = "move it from processing to its target"
    END = "nothing is left but to say so"
    FORGET = "somebody else has taken it, or it is to be sent as if it were new"


def next_step(
    state: ClaimState, *, has_run: bool, is_in_processing: bool, is_in_inbox: bool
) -> ClaimStep | None:
    """The next step of a claim; None if it is at its end."""
    if state is ClaimState.ENDED:
        return None
    if state is ClaimState.TAKEN:
        if has_run:  # it is sent from its snapshot, wherever the file is
            return ClaimStep.GO_ON
        if is_in_processing:  # what is in the inbox then is another one of the same name
            return ClaimStep.SEND
        return ClaimStep.TAKE_IN if is_in_inbox else ClaimStep.FORGET
    if is_in_processing:
        return ClaimStep.FILE_AWAY
    return ClaimStep.END if has_run else ClaimStep.FORGET


class InboxRoute(Struct, frozen=True):
    """A subfolder of the inbox, with the profile and kind that it names."""

    path: str
    """Relative to the inbox, with `/`; empty for the inbox itself."""
    profile: str | None
    kind: str | None


def route_of(
    place: PurePosixPath, profiles: Collection[str], kinds: Collection[str]
) -> InboxRoute | None:
    """The route of a file: PROFILE, KIND or PROFILE/KIND; None for any other folder."""
    folder = place.parent.as_posix()
    match place.parent.parts:
        case ():
            return InboxRoute("", None, None)
        case (name,):
            if profile := _matching(name, profiles):
                return InboxRoute(folder, profile, None)
            if kind := _matching(name, kinds):
                return InboxRoute(folder, None, kind)
        case (first, second):
            profile, kind = _matching(first, profiles), _matching(second, kinds)
            if profile and kind:
                return InboxRoute(folder, profile, kind)
    return None


def _matching(part: str, names: Collection[str]) -> str | None:
    """The name that a folder means: network shares and people may change its capitals.

    There may be hundreds of names, so an exact match is tried first.
    """
    if part in names:
        return part
    return {name.casefold(): name for name in names}.get(part.casefold())
