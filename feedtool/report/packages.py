"""Describe the packages of a sheet, planned or sent, in lines of text."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from feedtool.model.nouns import ActSummary, PackageSummary
from feedtool.model.text import MessageText, joined, plural, tr
from feedtool.report.plain import clean
from feedtool.report.sheet_result import SheetResult
from feedtool.report.statuses import state_word, statuses_text


def package_lines(result: SheetResult) -> Iterator[str]:
    """Yield a blank line, and the packages; those without a channel are grouped by type."""
    if result.packages or result.acts:
        yield ""
    verbs: dict[str, list[ActSummary]] = {}
    for act in result.acts or ():
        verbs.setdefault(act.verb, []).append(act)
    is_planned = result.run is None
    yield from (_acts(of_verb, is_planned=is_planned) for of_verb in verbs.values())
    emptied = 0
    batches: dict[str, list[PackageSummary]] = {}
    for package in result.packages:
        if not is_planned and package.package_id is None and not package.rows:
            emptied += 1
        elif not package.channel:
            batches.setdefault(package.package_type, []).append(package)
        else:
            yield _package(package, is_planned=is_planned)
    if emptied:
        yield plural(
            "{count:,} package not taken, the rows went on in others",
            "{count:,} packages not taken, the rows went on in others",
            emptied,
        )
    yield from (_batches(of_type, is_planned=is_planned) for of_type in batches.values())


def _acts(acts: Sequence[ActSummary], *, is_planned: bool) -> MessageText:
    """Describe the single requests of a verb in one line."""
    text = tr(
        "{type}, {rows} in {requests}",
        type=acts[0].verb,
        rows=_rows(sum(len(act.rows) for act in acts)),
        requests=plural("{count:,} request", "{count:,} requests", len(acts)),
    )
    if is_planned:
        return tr("Planned: {packages}", packages=text)
    return _with_states(text, [(act.status or act.outcome, act.calls > 0) for act in acts])


def _with_states(text: MessageText, states: Iterable[tuple[str | None, bool]]) -> MessageText:
    """The text, and how many are in each state; without one it counts whether a call was made."""
    counts = Counter(
        clean(state or "") or (NOT_CONFIRMED if was_called else NOT_SENT_YET)
        for state, was_called in states
    )
    return joined((text, statuses_text(counts)), ": ")


def _rows(count: int) -> MessageText:
    return plural("{count:,} row", "{count:,} rows", count)


def _batches(batches: Sequence[PackageSummary], *, is_planned: bool) -> MessageText:
    """Describe the packages of a type in one line."""
    text = tr(
        "{type}, {rows} in {batches}",
        type=batches[0].package_type,
        rows=_rows(sum(batch.rows for batch in batches)),
        batches=plural("{count:,} batch", "{count:,} batches", len(batches)),
    )
    if is_planned:
        return tr("Planned: {packages}", packages=text)
    return _with_states(text, [(batch.state, batch.is_unconfirmed) for batch in batches])


NOT_SENT_YET, NOT_CONFIRMED = tr("not sent yet"), tr("not confirmed")


def _package(package: PackageSummary, *, is_planned: bool) -> MessageText:
    text = tr(
        "{type}, channel {channel}, {rows} in {uploads}",
        type=package.package_type,
        channel=clean(package.channel),
        rows=_rows(package.rows),
        uploads=plural("{count:,} upload", "{count:,} uploads", package.uploads),
    )
    if package.package_id is not None:
        state = state_word(clean(package.state)) if package.state else NOT_SENT_YET
        name = clean(package.package_id)
        return tr("Package {id}: {rows}: {state}", id=name, rows=text, state=state)
    if is_planned:
        return tr("Planned package: {rows}", rows=text)
    return tr("Package not confirmed: {rows}", rows=text)
