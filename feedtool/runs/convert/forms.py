"""What a conversion writes, and which kind of feed its rows become there. Pure."""

from dataclasses import dataclass
from pathlib import Path

from feedtool.feeds.area import Areas, Output
from feedtool.feeds.template import Language
from feedtool.model.errors import UsageProblem

WORKBOOK, CSV, JSON, FOLDER = ".xlsx", ".csv", ".json", ""
"""The endings of what every area writes; without one it is a folder of requests."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of file."""

    ending: str
    output: Output | None = None
    """Where it is a form of an area's own."""

    @property
    def is_sheet(self) -> bool:
        """True if it has rows and columns."""
        return self.ending in {WORKBOOK, CSV}


@dataclass(frozen=True, slots=True)
class ConversionOptions:
    """What a file is converted to."""

    target: Path
    form: Form
    to: str | None
    """The kind of feed that its rows are to be; None is what fits the form."""
    language: Language
    """Of a workbook's labels."""
    is_channel_given: bool
    """Whether the channel of rows that name none was given."""


def form_of(target: Path, areas: Areas) -> Form:
    """What is to be written, by its name; one without an ending is a folder.

    Raises:
        UsageProblem: the ending is none of those.
    """
    ending = "" if target.is_dir() else target.suffix.lower()
    if ending in {WORKBOOK, CSV, JSON, FOLDER} or ending in areas.outputs:
        return Form(ending, areas.outputs.get(ending))
    endings = ", ".join((WORKBOOK, CSV, *areas.outputs, JSON))
    raise UsageProblem(
        f"nothing can be written as {target.name}",
        f"let the name end in one of {endings}, or in nothing for a folder of requests",
    )


def kind_for(form: Form, kind: str, wanted: str | None, areas: Areas) -> str:
    """The kind that rows of a kind become in a form of file.

    Args:
        form: What is written.
        kind: What the rows are.
        wanted: What they are to become, where that was said.
        areas: All that there are.

    Raises:
        UsageProblem: they cannot.
    """
    became, output = wanted or kind, form.output
    if wanted is None and output:
        if kind in output.refusals:
            raise UsageProblem(
                output.refusals[kind], "give OUT another ending: .xlsx, .csv, .json or none"
            )
        became = output.kinds.get(kind, kind)
    elif wanted is None and not form.is_sheet:
        became = next(
            (to for (of, to), item in areas.conversions.items() if of == kind and item.is_for_json),
            kind,
        )
    if (kind, became) not in areas.conversions:
        possible = [to for of, to in areas.conversions if of == kind]
        raise UsageProblem(
            f"{kind} cannot become {became} without another meaning",
            f"it can become {', '.join(possible)}",
        )
    is_strange = output and became not in output.kinds.values()
    if is_strange or (form.ending == JSON and areas.feeds[became].json is None):
        raise UsageProblem(
            f"{became} cannot be written as {form.ending}",
            "leave --to away, or give OUT another ending",
        )
    return became
