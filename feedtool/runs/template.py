"""The template workbooks: the kinds that have one, and their categories.

`python -m feedtool.runs.template [FOLDER]` writes the workbooks of `templates/` again; run it after
a change of a column, a label or a text. A test compares them.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import get_args

from feedtool.areas.registry import load
from feedtool.catalog import Catalog
from feedtool.catalog.lookup import categories_below, first_codes
from feedtool.feeds.feed import Feed
from feedtool.feeds.template import Basis
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import Context
from feedtool.model.text import Language, joined, tr
from feedtool.templates import write_template


def template_feed(kind: str) -> Feed:
    """Return the feed of a kind's template; UsageProblem for an action of another kind's sheet."""
    feed, templates = load().feed_of(kind), load().templates
    if kind not in templates:
        whole = next(name for name in load().family(feed) if name in templates)
        raise UsageProblem(
            tr(
                "{kind} has no template of its own: it is an action of {whole}",
                kind=kind,
                whole=whole,
            ),
            tr("make it with `feedtool template {whole}`", whole=whole),
        )
    return feed


def for_categories(
    basis: Basis,
    catalog: Catalog,
    codes: Sequence[str],
    sync_command: str,
    tell: Callable[[str, str], None] = lambda _label, _text: None,
) -> Basis:
    """Return the basis of a template for categories; a higher one is replaced by all below it.

    `tell` gets a label, and the categories below a higher one.

    Raises:
        UsageProblem: the properties of some are missing; `sync_command` brings them.
    """
    deepest: list[str] = []
    for code in codes:
        deepest += _deepest(catalog, code, sync_command, tell)
    context = basis.context._replace(catalog=lambda _: catalog)
    return basis._replace(context=context, categories=deepest)


def _deepest(
    catalog: Catalog, code: str, sync_command: str, tell: Callable[[str, str], None]
) -> list[str]:
    """Return all categories below one that take products; without any, the code itself."""
    inside = categories_below(catalog, code)
    category = catalog.category(code.upper())
    if not inside or category is None:
        return [code]
    description = tr(
        "{reference} ({label}) includes {count:,} categories",
        reference=category.reference,
        label=category.label,
        count=len(inside),
    )
    lacking = [name for name in inside if catalog.properties(name) is None]
    if lacking:
        raise UsageProblem(
            tr(
                "{named}, and the properties of {categories} were not downloaded",
                named=description,
                categories=first_codes(lacking),
            ),
            tr(
                "download them with `{command} --category {reference}`",
                command=sync_command,
                reference=category.reference,
            ),
        )
    tell("category", joined((description, first_codes(inside)), ": "))
    return inside


def write_all(feeds: Iterable[Feed], folder: Path) -> list[Path]:
    """Write the templates of feeds without categories in all languages: `offers-upsert.fr.xlsx`."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for feed in feeds:
        for language in get_args(Language) if feed.template.contents is None else ():
            target = folder / f"{feed.kind}.{language}.xlsx"
            write_template(
                feed, target, Basis(language, Context(), has_example=True, account="--sandbox")
            )
            written.append(target)
    return written


if __name__ == "__main__":
    write_all(load().templates.values(), Path(sys.argv[1] if len(sys.argv) > 1 else "templates"))
