"""Whose the files of the inbox are, and what is done next with one that is claimed. Pure.

Which of them are whole is decided in `places.sightings`. Every step may be the last before a crash,
and is decided from what is found, not from what was done before: the one who goes on is another
process as often as the same.
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
    """The next step of a claim; None where it is at its end."""
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
    """A subfolder of the inbox, and what it stands for."""

    path: str
    """With `/`; empty for the inbox itself."""
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
            if profile := _meant(name, profiles):
                return InboxRoute(folder, profile, None)
            if kind := _meant(name, kinds):
                return InboxRoute(folder, None, kind)
        case (first, second):
            profile, kind = _meant(first, profiles), _meant(second, kinds)
            if profile and kind:
                return InboxRoute(folder, profile, kind)
    return None


def _meant(part: str, names: Collection[str]) -> str | None:
    """The name that a folder has; network shares and people change capitals as they please.

    It is looked for among all only where it is not written so: there may be hundreds of them.
    """
    if part in names:
        return part
    return {name.casefold(): name for name in names}.get(part.casefold())
