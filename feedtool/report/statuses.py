"""The words for statuses of rows and states of packages, alone and with numbers."""

from collections.abc import Callable, Mapping

from feedtool.model.nouns import AREA_STATUSES, Status
from feedtool.model.text import MessageText, joined, plural, tr


def statuses_text(statuses: Mapping[Status, int] | Mapping[str, int]) -> MessageText:
    """`9 Integrated, 2 Rejected`: numbers by status, of rows or of packages.

    The words of areas are known once they are loaded.
    """
    of_areas = {str(status): known.counted for status, known in AREA_STATUSES.items()}
    counted = {**of_areas, **_NUMBERS}
    return joined(
        counted[status](number)
        if status in counted
        else tr("{count:,} {status}", count=number, status=status)
        for status, number in statuses.items()
    )


_NUMBERS: Mapping[str, Callable[[int], MessageText]] = {
    Status.VALID: lambda count: plural("{count:,} Valid", "{count:,} Valid", count),
    Status.INVALID: lambda count: plural("{count:,} Invalid", "{count:,} Invalid", count),
    Status.INTEGRATED: lambda count: plural("{count:,} Integrated", "{count:,} Integrated", count),
    Status.REJECTED: lambda count: plural("{count:,} Rejected", "{count:,} Rejected", count),
    Status.DUPLICATED: lambda count: plural("{count:,} Duplicated", "{count:,} Duplicated", count),
    Status.REFUSED: lambda count: plural("{count:,} Refused", "{count:,} Refused", count),
    Status.ACCEPTED: lambda count: plural("{count:,} Accepted", "{count:,} Accepted", count),
    Status.SUCCESS: lambda count: plural("{count:,} Success", "{count:,} Success", count),
    Status.FAILURE: lambda count: plural("{count:,} Failure", "{count:,} Failure", count),
    Status.CREATED: lambda count: plural("{count:,} Created", "{count:,} Created", count),
    Status.EXISTING: lambda count: plural("{count:,} Existing", "{count:,} Existing", count),
    Status.PENDING: lambda count: plural("{count:,} Pending", "{count:,} Pending", count),
    Status.UNCHANGED: lambda count: plural("{count:,} Unchanged", "{count:,} Unchanged", count),
    Status.HELD: lambda count: plural("{count:,} Held", "{count:,} Held", count),
    Status.NOT_CHOSEN: lambda count: plural("{count:,} not chosen", "{count:,} not chosen", count),
    Status.SUPERSEDED: lambda count: plural("{count:,} Superseded", "{count:,} Superseded", count),
    Status.SKIPPED: lambda count: plural("{count:,} Skipped", "{count:,} Skipped", count),
    Status.UNKNOWN: lambda count: plural("{count:,} Unknown", "{count:,} Unknown", count),
    "Submitted": lambda count: plural("{count:,} Submitted", "{count:,} Submitted", count),
    "Reported": lambda count: plural("{count:,} Reported", "{count:,} Reported", count),
}
"""The phrases for numbers of rows; the last two are feedtool's own words, for batches."""


_WORDS: Mapping[str, MessageText] = {
    Status.VALID: tr("Valid"),
    Status.INVALID: tr("Invalid"),
    Status.INTEGRATED: tr("Integrated"),
    Status.REJECTED: tr("Rejected"),
    Status.DUPLICATED: tr("Duplicated"),
    Status.REFUSED: tr("Refused"),
    Status.ACCEPTED: tr("Accepted"),
    Status.SUCCESS: tr("Success"),
    Status.FAILURE: tr("Failure"),
    Status.CREATED: tr("Created"),
    Status.EXISTING: tr("Existing"),
    Status.PENDING: tr("Pending"),
    Status.UNCHANGED: tr("Unchanged"),
    Status.HELD: tr("Held"),
    Status.NOT_CHOSEN: tr("Not chosen"),
    Status.SUPERSEDED: tr("Superseded"),
    Status.SKIPPED: tr("Skipped"),
    Status.UNKNOWN: tr("Unknown"),
}


def status_word(status: str) -> str:
    """The word for a row's status; an unknown one, such as a state of the service, is unchanged."""
    of_areas = {str(word): known.label for word, known in AREA_STATUSES.items()}
    return {**of_areas, **_WORDS}.get(status, status)


def state_word(state: str) -> str:
    """The word for a package's state, or for feedtool's step with it; others are unchanged."""
    return _STATES.get(state, state)


_STATES: Mapping[str, MessageText] = {
    "WaitingForCompletion": tr("waiting for completion"),
    "Importing": tr("importing"),
    "Ready": tr("ready"),
    "IntegrationPending": tr("integration pending"),
    "Integrated": tr("integrated"),
    "Rejected": tr("rejected"),
    "Submitted": tr("submitted"),
    "Reported": tr("reported"),
    "planned": tr("planned"),
    "cleared": tr("cleared"),
    "checked": tr("checked"),
    "creating": tr("creating"),
    "filling": tr("filling"),
    "probing": tr("probing"),
    "filled": tr("filled"),
    "settled": tr("settled"),
    "committing": tr("committing"),
    "committed": tr("committed"),
    "integrated": tr("integrated"),
    "read": tr("read"),
    "looking": tr("looking"),
    "submitting": tr("submitting"),
    "submitted": tr("submitted"),
    "closed": tr("closed"),
}
