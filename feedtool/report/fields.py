"""The names that scripts rely on: every noun as a JSON object."""

import json
import re
from typing import Any

from feedtool.model.errors import FeedtoolError, FileProblem
from feedtool.model.nouns import Counts, Message, PackageSummary, Problem, Verdict
from feedtool.model.sheet import CheckedSheet
from feedtool.report.outcome import Outcome
from feedtool.report.plain import STEERING

Fields = dict[str, Any]

_encode = json.JSONEncoder(ensure_ascii=False).encode
_STEERING = re.compile(f"[{STEERING}]")


def dumped(value: object) -> str:
    """The value as JSON on one line, readable as it is in any language.

    Only characters that would steer a terminal are escaped, and halves of characters, which
    UTF-8 cannot write: a JSON reader gets all of them back.
    """
    text = _encode(value)
    if text.isprintable():  # nothing that steers is, and millions of lines pass here
        return text
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def sheet_fields(checked: CheckedSheet) -> Fields:
    """Which file and sheet this is, and what it was taken for; a CSV has no sheet."""
    return {
        "file": checked.file,
        "kind": checked.kind,
        "kindReason": checked.kind_reason or None,
        "sheet": checked.sheet or None,
        "headerRow": checked.header.row if checked.header else None,
    }


def count_fields(counts: Counts) -> Fields:
    """`rows` = `valid` + `invalid` + `skipped`."""
    return {
        "rows": counts.rows,
        "valid": counts.valid,
        "invalid": counts.invalid,
        "skipped": counts.skipped,
    }


def error_fields(error: FileProblem | None) -> Fields | None:
    """Why a file could not be read; None where it could."""
    if error is None:
        return None
    return {"code": error.code, "message": error.message, "hint": error.hint}


def stopped_fields(stopped: FeedtoolError | None) -> Fields | None:
    """What stopped a delivery before its end; None where nothing did."""
    return None if stopped is None else {"message": stopped.message, "hint": stopped.hint}


def problem_fields(problem: Problem) -> Fields:
    """A problem in its place."""
    return problem._asdict()


def package_fields(package: PackageSummary) -> Fields:
    """A package; identifier and state are None where it was only planned."""
    return {
        "packageId": package.package_id,
        "packageType": package.package_type,
        "salesChannelId": package.channel,
        "state": package.state,
        "rows": package.rows,
        "uploads": package.uploads,
    }


def verdict_fields(verdict: Verdict) -> Fields:
    """What became of a row."""
    return {
        "row": verdict.row,
        "sellerExternalReference": verdict.reference,
        "status": verdict.status,
        "messages": [_message_fields(message) for message in verdict.messages],
    }


def _message_fields(message: Message) -> Fields:
    named = {"field": message.field} if message.field else {}
    return {"resultCode": message.code, "message": message.text, **named}


def annotated_field(outcome: Outcome) -> str | None:
    """The path of the annotated copy, None where there is none."""
    return None if outcome.annotated is None else str(outcome.annotated)


def failed_field(outcome: Outcome) -> str | None:
    """The path of the workbook of the rows to correct, None where there is none."""
    return None if outcome.failed is None else str(outcome.failed)
