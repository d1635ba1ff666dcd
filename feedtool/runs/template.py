"""`python -m feedtool.runs.template [FOLDER]` makes the workbooks of `templates/` anew.

To be run when a column, a label or a text has changed; a test compares.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from feedtool.areas.registry import load
from feedtool.feeds.feed import Feed
from feedtool.feeds.template import Basis
from feedtool.model.settings import Context
from feedtool.model.text import Language
from feedtool.templates import write_template


def write_all(feeds: Iterable[Feed], folder: Path) -> list[Path]:
    """The templates of feeds without categories, in every language: `offers-upsert.fr.xlsx`."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for feed in feeds:
        for language in get_args(Language) if feed.template is None else ():
            target = folder / f"{feed.kind}.{language}.xlsx"
            write_template(
                feed, target, Basis(language, Context(), has_example=True, account="--sandbox")
            )
            written.append(target)
    return written


if __name__ == "__main__":
    write_all(load().templates.values(), Path(sys.argv[1] if len(sys.argv) > 1 else "templates"))
