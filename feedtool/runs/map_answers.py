"""What somebody says of the columns of a sheet, and why it cannot be so."""

from collections.abc import Collection
from decimal import Decimal

from msgspec import Struct, field

from feedtool.check.mapping.proposal import ColumnProposal
from feedtool.feeds.columns.number import Number
from feedtool.model.nearest import did_you_mean
from feedtool.model.text import MessageText, tr
from feedtool.runs.mapping import SheetProposal


class Answers(Struct):
    """What is known of a sheet in the end."""

    columns: list[ColumnProposal]
    values: dict[str, dict[str, str]] = field(default_factory=dict)
    """Key → what stands there → what is meant."""
    unknown: dict[str, list[str]] = field(default_factory=dict)
    """Key → what stands there, and nobody knows what is meant."""
    defaults: dict[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The fields that have a column."""
        return [column.key for column in self.columns if column.key]

    @classmethod
    def without_asking(cls, proposal: SheetProposal, least: int) -> "Answers":
        """What is sure, and no more."""
        answers = cls(proposal.accepted(least))
        for column in answers.columns:
            for text, value in proposal.new_values(column).items():
                answers.note_value(column.key or "", text, value)
        return answers

    def note_value(self, key: str, text: str, value: str) -> None:
        """Notes what a value means, or that nobody knows."""
        if value:
            self.values.setdefault(key, {})[text] = value
        else:
            self.unknown.setdefault(key, []).append(text)


# A key that is a `FieldName` is told by its label.


def why_no_field(proposal: SheetProposal, key: str, taken: Collection[str]) -> MessageText | None:
    """Why a column cannot be a field; None if it can. `taken` have a column already."""
    if key in taken:
        return tr("{field} has a column already", field=key)
    if key not in proposal.known:
        hint = did_you_mean(key, proposal.known)
        return tr("there is no field {field}; {hint}", field=key, hint=hint)
    return None


def why_no_value(proposal: SheetProposal, key: str, text: str) -> MessageText | None:
    """Why a field cannot have a value; None if it can."""
    if proposal.is_value(key, text):
        return None
    column = proposal.known[key]
    if example := column.example:
        return tr(
            "“{value}” is no {field}; for example: {example}",
            value=text,
            field=key,
            example=Decimal(example) if isinstance(column.type, Number) else example,
        )
    return tr("“{value}” is no {field}", value=text, field=key)
