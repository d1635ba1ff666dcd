"""Download empty workbooks, byte for byte like those of `feedtool template`."""

from io import BytesIO
from shlex import join
from typing import NamedTuple
from urllib.parse import urlencode

import flask
from flask.typing import ResponseReturnValue

from feedtool.areas.registry import load
from feedtool.catalog import Catalog, Category
from feedtool.catalog.lookup import search
from feedtool.check import ReadOptions
from feedtool.feeds.feed import Feed
from feedtool.feeds.template import Basis
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import Context
from feedtool.model.text import LANGUAGES, Language, tr
from feedtool.page.routes.files import chosen_account, visible_accounts
from feedtool.page.session import LANGUAGE_NAMES, language, page_session
from feedtool.runs.template import for_categories, template_feed
from feedtool.templates import write_template

blueprint = flask.Blueprint("templates", __name__)

SHOWN = 50
"""Most categories that a search shows."""


class TemplateOrder(NamedTuple):
    """A requested template."""

    feed: Feed
    language: Language
    account: str
    categories: list[str]

    @property
    def needs_categories(self) -> bool:
        return self.feed.sheet.by_category is not None and not self.categories

    @property
    def words(self) -> str:
        """The options of its account."""
        is_sandbox = page_session().accounts.is_sandbox(self.account)
        return "--sandbox" if is_sandbox else join(["--profile", self.account])

    @property
    def query(self) -> str:
        """The parameters of an address, without the categories."""
        values = {"kind": self.feed.kind, "language": self.language, "account": self.account}
        return urlencode(values)


@blueprint.get("/templates")
def every() -> str:
    """Show the kinds with templates, by area."""
    kinds = load().templates
    areas = [
        (area.title, feeds)
        for area in load().areas
        if (feeds := [feed for feed in area.feeds if feed.kind in kinds])
    ]
    return flask.render_template("templates.html", areas=areas, accounts=visible_accounts())


@blueprint.get("/templates/categories")
def categories() -> str:
    order, text = _order(), flask.request.args.get("search", "").strip()
    with page_session().accounts.reading(order.account) as reading:
        catalog = _catalog(reading, order)
        chosen = [item for code in order.categories if (item := catalog.category(code))]
        if text:
            items = [item for item in search(catalog, text) if isinstance(item, Category)]
        else:
            items = [item for item in catalog.categories.values() if item.parent is None]
        matches = [item for item in items if item not in chosen]
    return flask.render_template(
        "categories.html",
        order=order,
        text=text,
        chosen=chosen,
        matches=matches[:SHOWN],
        further=len(matches[SHOWN:]),
    )


@blueprint.get("/templates/download")
def download() -> ResponseReturnValue:
    """Download the workbook, or redirect to the choice of categories."""
    order = _order()
    if order.needs_categories:
        # The language that `url_for` takes is that of the page.
        return flask.redirect(f"{flask.url_for('templates.categories')}?{order.query}", 303)
    name = f"{order.feed.kind}.xlsx"
    with page_session().accounts.reading(order.account) as reading, temporary_folder() as folder:
        context = Context(reading.dialect)
        basis = Basis(order.language, context, has_example=True, account=order.words)
        if order.categories and order.feed.sheet.by_category is not None:
            catalog = _catalog(reading, order)
            basis = for_categories(basis, catalog, order.categories, _sync_command(order))
        write_template(order.feed, folder / name, basis)
        content = BytesIO((folder / name).read_bytes())
    return flask.send_file(content, as_attachment=True, download_name=name, max_age=0)


def _order() -> TemplateOrder:
    """The template of the request; UsageProblem for an unknown language, kind or account."""
    parameters = flask.request.args
    code = parameters.get("language", language())
    known = next((item for item in LANGUAGES if item == code), None)
    if known is None:
        raise UsageProblem(tr("there is no such language"), tr("choose one of the list"))
    category_codes = [text.strip() for text in parameters.getlist("category") if text.strip()]
    feed = template_feed(parameters.get("kind", ""))
    return TemplateOrder(feed, known, chosen_account(parameters), category_codes)


def _catalog(reading: ReadOptions, order: TemplateOrder) -> Catalog:
    """The account's catalogue in the template's language; UsageProblem if it is missing."""
    catalog: Catalog | None = reading.catalog(order.language)
    if catalog is not None and catalog.language == order.language:
        return catalog
    name, command = LANGUAGE_NAMES[order.language], _sync_command(order)
    lack = tr("there is no catalogue in {language} here", language=name)
    if catalog is None:
        raise UsageProblem(lack, tr("download it with `{command}`", command=command))
    other = LANGUAGE_NAMES.get(catalog.language, catalog.language)
    raise UsageProblem(
        tr("{lack}; there is one in {languages}", lack=lack, languages=other),
        tr(
            "choose {language} for the workbook; or use `{command}`",
            language=other,
            command=command,
        ),
    )


def _sync_command(order: TemplateOrder) -> str:
    return f"feedtool catalog sync {order.words} --language {order.language}"
