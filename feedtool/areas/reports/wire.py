"""Calls for reports and their documents, and readers of their answers.

Of both the specification shows the path alone ("Financial"): of a report nothing but its identifier
is taken for granted.
"""

from collections.abc import Mapping
from email.message import Message
from typing import Any
from urllib.parse import quote

from feedtool.model.call import READ, Call, Reply
from feedtool.model.text import tr
from feedtool.service.answers import items_of, text

ANYTHING = (("Accept", "application/pdf, application/problem+json, */*"),)
ENDINGS = {"application/pdf": ".pdf", "application/zip": ".zip", "text/csv": ".csv"}


def reports_of(reply: Reply) -> list[tuple[str, Mapping[str, Any]]]:
    """The reports of a page, each with its identifier, which may lack; Unreadable for no list."""
    reports = [item for item in items_of(reply, tr("reports")) if isinstance(item, dict)]
    names = [text(report.get("reportId")) or text(report.get("id")) for report in reports]
    return [*zip(names, reports, strict=True)]


def read_document(report: str) -> Call:
    target = f"/reports/{quote(report, safe='')}/report-documents"
    return Call("GET", target, READ, headers=ANYTHING)


def file_name(reply: Reply, otherwise: str) -> str:
    """The name that the service gives a file (RFC 6266), else one with an ending of its sort."""
    message = Message()
    message["Content-Disposition"] = reply.headers.get("content-disposition", "")
    sort = reply.headers.get("content-type", "").partition(";")[0].strip().casefold()
    return text(message.get_filename()) or f"{otherwise}{ENDINGS.get(sort, '')}"
