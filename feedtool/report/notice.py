"""What a hook and a webhook are told of a run: its summary, by the names of `--format json`.

Not the lists of problems and results, which may be of any length: `feedtool results RUN --format
json` has them. Nothing in it is a secret.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from feedtool import __version__
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.report.as_json import summary_fields
from feedtool.report.fields import Fields, error_fields, stopped_fields
from feedtool.report.outcome import Outcome


class Occasion(NamedTuple):
    """Of what something is told."""

    command: str
    profile: str | None
    seller: str | None
    at: datetime


def run_notice(
    occasion: Occasion,
    outcomes: Sequence[Outcome],
    code: Exit,
    stopped: FeedtoolError | None = None,
) -> Fields:
    """What came of a run."""
    return {
        **_head("run", occasion, code),
        "stopped": stopped_fields(stopped),
        "files": [
            {**summary_fields(outcome), "error": error_fields(outcome.checked.error)}
            for outcome in outcomes
        ],
    }


def refusal_notice(occasion: Occasion, file: str, error: FeedtoolError) -> Fields:
    """A file of a watched folder that was not sent, or not to its end."""
    told = {"message": error.message, "hint": error.hint}
    return {**_head("refused", occasion, error.exit), "file": file, "error": told}


def _head(event: str, occasion: Occasion, code: Exit) -> Fields:
    return {
        "event": event,
        "at": occasion.at.isoformat(timespec="seconds"),
        "command": occasion.command,
        "tool": f"feedtool {__version__}",
        "profile": occasion.profile,
        "seller": occasion.seller,
        "exitCode": int(code),
    }
