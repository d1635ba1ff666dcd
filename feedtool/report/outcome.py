"""What a command has to tell of one sheet, whatever the form it is told in."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from feedtool.check.result import CheckedSheet
from feedtool.model import PackageSummary, Verdict


@dataclass(slots=True)
class Outcome:
    """One sheet, checked, and what the service said of it if it was sent."""

    checked: CheckedSheet
    run: str | None = None
    """The run's identifier; None where nothing was sent."""
    is_submitted: bool = False
    """Whether `submit` tells it (also in a dry run): then packages and results are shown."""
    packages: Sequence[PackageSummary] = ()
    verdicts: Callable[[], Iterator[Verdict]] | None = None
    """Every row's verdict in the order of rows, the invalid ones too; may be asked repeatedly."""
    annotated: Path | None = None
    """The annotated copy, where one was written."""
