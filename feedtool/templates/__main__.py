"""`python -m feedtool.templates [FOLDER]` makes the workbooks of `templates/` anew.

To be run when a column, a label or a text has changed; a test compares.
"""

import sys
from pathlib import Path
from typing import get_args

from feedtool.areas.registry import load
from feedtool.model.settings import Dialect
from feedtool.templates import PRODUCTS, Language, write_template


def write_all(folder: Path) -> list[Path]:
    """Every kind of feed in every language, as `offers-upsert.fr.xlsx`.

    But for products, whose template depends on the category.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for feed in (one for kind, one in load().feeds.items() if kind != PRODUCTS):
        for language in get_args(Language):
            target = folder / f"{feed.kind}.{language}.xlsx"
            write_template(feed, target, language, Dialect())
            written.append(target)
    return written


if __name__ == "__main__":
    write_all(Path(sys.argv[1] if len(sys.argv) > 1 else "templates"))
