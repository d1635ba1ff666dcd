"""Answers about the columns of a sheet, and the reasons to refuse them."""

from collections.abc import Collection
from decimal import Decimal

from msgspec import Struct, field

from feedtool.check.mapping.proposal import ColumnProposal
from feedtool.feeds.columns.number import Number
from feedtool.model.nearest import did_you_mean
from feedtool.model.text import MessageText, tr
from feedtool.runs.mapping import SheetProposal


class Answers(Struct):
    """The columns and values of a sheet, as they go into its recipe."""

    columns: list[ColumnProposal]
    values: dict[str, dict[str, str]] = field(default_factory=dict)
    """Key → text in the sheet → its meaning."""
    unknown: dict[str, list[str]] = field(default_factory=dict)
    """Key → texts in the sheet whose meaning is unknown."""
    defaults: dict[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        return [column.key for column in self.columns if column.key]

    @classmethod
    def without_asking(cls, proposal: SheetProposal, least: int) -> "Answers":
        """Return the answers that are sure enough, and no others."""
        answers = cls(proposal.accepted(least))
        for column in answers.columns:
            for text, value in proposal.new_values(column).items():
                answers.note_value(column.key or "", text, value)
        return answers

    def note_value(self, key: str, text: str, value: str) -> None:
        """Note the meaning of a text; a blank one means unknown."""
        if value:
            self.values.setdefault(key, {})[text] = value
        else:
            self.unknown.setdefault(key, []).append(text)


# A key that is a `FieldName` is shown by its label.


def why_no_field(proposal: SheetProposal, key: str, taken: Collection[str]) -> MessageText | None:
    """Return the reason why a column cannot be a field, or None. `taken` have a column already."""
    if key in taken:
        return tr("{field} has a column already", field=key)
    if key not in proposal.known:
        hint = did_you_mean(key, proposal.known)
        return tr("there is no field {field}; {hint}", field=key, hint=hint)
    return None


def why_no_value(proposal: SheetProposal, key: str, text: str) -> MessageText | None:
    """Return the reason why a field cannot have a value, or None."""
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
