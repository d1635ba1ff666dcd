"""Show the pages of problem codes, statuses and words, and the list of all."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import flask

from feedtool.model.text import tr
from feedtool.page.session import codes, language, say
from feedtool.report.codes import BEGINNINGS
from feedtool.report.plain import on_one_line
from feedtool.report.tally import SEVERITIES
from feedtool.runs.codes import explain_code, guards

blueprint = flask.Blueprint("explain", __name__)


class Paragraph(NamedTuple):
    """A paragraph of a page."""

    pieces: list[str]
    """Each second one is code."""
    is_advice: bool


class CodeLine(NamedTuple):
    """A line of the list."""

    name: str
    sort: str
    pieces: list[str]


@blueprint.get("/explain")
def every() -> str:
    """List all codes, statuses and words, each with its first line."""
    known = codes()
    entries = [
        *(
            CodeLine(name, SEVERITIES[code.severity], pieces_of(known.summary_of(name)))
            for name, code in known.pages.items()
        ),
        *(
            CodeLine(name, word.kind, pieces_of(word.page.partition("\n")[0]))
            for name, word in known.words.items()
        ),
    ]
    return flask.render_template("explain_list.html", entries=entries)


@blueprint.get("/explain/<path:code>")
def page(code: str) -> str:
    """Show the page of a code; UsageProblem for an unknown one, with similar names."""
    heading, *texts = explain_code(code, language()).strip().split("\n\n")
    paragraphs = [*paragraphs_of(texts)]
    if code in guards():
        text = tr(
            "On this page a user who may release it can send it all the same, with a "
            "reason: under “Choose”, or later under “Held back”."
        )
        paragraphs.append(Paragraph([say()(text)], is_advice=False))
    return flask.render_template(
        "explain.html",
        code=(known := codes().pages.get(code)),
        sort=SEVERITIES[known.severity] if known else "",
        heading=heading,
        paragraphs=paragraphs,
    )


def paragraphs_of(texts: Iterable[str]) -> Iterator[Paragraph]:
    for text in texts:
        yield Paragraph(pieces_of(text), text.startswith(BEGINNINGS))


def pieces_of(text: str) -> list[str]:
    """Split a text on one line into pieces; each second one is code."""
    return on_one_line(text).split("`")
