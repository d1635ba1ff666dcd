"""The meaning of a four-digit resultCode: two digits for the error, two for the property.

The specification does not list the codes; their two halves are derived from the field's knowledge,
and fit every known offer code. They are used only if both halves are known: then a refusal can be
shown on its cell.
"""

import re
import tomllib
from textwrap import fill

from feedtool.areas.offers.columns import understood
from feedtool.model.files import folder_of
from feedtool.model.settings import AccountSettings
from feedtool.model.text import FieldName, Translator, joined, tr

_FILE = folder_of("feedtool.areas.offers.wire") / "result_codes.toml"
_TABLES = tomllib.loads(_FILE.read_text("utf-8"))

ERRORS: dict[str, tuple[str, str]] = _TABLES["errors"]
"""By the first two digits: messages about the error and its correction."""
CONFIRMATIONS: dict[str, str] = _TABLES["confirmations"]
FIELDS: dict[str, str] = _TABLES["fields"]
SUBJECTS: dict[str, str] = _TABLES["subjects"]
LEGACY_MODES: dict[str, str] = _TABLES["legacy_modes"]

UNKNOWN = tr("a field that is not known here")
PAGE_WIDTH = 98
"""Columns of a page of `feedtool explain`."""
_CODE = re.compile(r"[0-9]{4}")


def is_confirmation(code: str) -> bool:
    """True if a code only confirms the row: 8000, 9000."""
    return _CODE.fullmatch(code) is not None and code[:2] in CONFIRMATIONS


def field_of(code: str) -> str | None:
    """Return the column key of a refusal's code; None if the code concerns the whole row."""
    return FIELDS.get(code[2:]) if _CODE.fullmatch(code) and code[:2] in ERRORS else None


def legacy_field_of(code: str) -> str | None:
    """Return the column key of a refusal's code in a sheet of legacy offers."""
    field = field_of(code)
    if field is None or not field.startswith("deliveryModes."):
        return field
    family, mode, amount = field.split(".")
    return f"{family}.{LEGACY_MODES[mode]}.{amount}"


def explanation_of(code: str, say: Translator) -> str | None:
    """Return the page of a four-digit code; None if its first half is unknown."""
    error, field_digits = code[:2], code[2:]
    if not _CODE.fullmatch(code):
        return None
    if error in CONFIRMATIONS:
        return "\n\n".join(map(say, (tr(CONFIRMATIONS[error]), tr("Nothing needs to be done."))))
    if error not in ERRORS:
        return None
    fault, fix = map(tr, ERRORS[error])
    field = _field(FIELDS[field_digits]) if field_digits in FIELDS else None
    subject = tr(SUBJECTS[field_digits]) if field_digits in SUBJECTS else field or UNKNOWN
    halves = tr(
        "The service's result codes are made of two halves: {error} is “{what}”, and {about} is"
        " {subject}.",
        error=error,
        what=fault,
        about=field_digits,
        subject=subject,
    )
    marked = tr("feedtool marks the cell of {field}.", field=field)
    parts = (
        tr("{what}: {subject}.", what=fault, subject=subject),
        joined([halves, marked], " ") if field else halves,
        tr("To fix it, {fix}.", fix=fix),
    )
    return "\n\n".join(fill(say(part), PAGE_WIDTH) for part in parts)


def _field(key: str) -> FieldName:
    labels = {column.key: column.labels for column in understood(AccountSettings())}
    return FieldName(key, labels.get(key, ()))


def known_codes() -> list[str]:
    errors = (error + about for error in ERRORS for about in {**FIELDS, **SUBJECTS})
    return [*errors, *(f"{error}00" for error in CONFIRMATIONS)]
