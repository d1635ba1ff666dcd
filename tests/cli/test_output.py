"""Progress of a delivery: a bar on a terminal, elsewhere a line now and then."""

import io

import pytest

from feedtool.cli import output
from feedtool.cli.console import CONSOLE
from feedtool.cli.output import ProgressLines
from feedtool.delivery.events import Event
from feedtool.model.text import Language, Translator, joined, tr


def event(kind: str, done: int, total: int, package: int = 1) -> Event:
    return Event(kind, f"package {package}: {kind}", "a.xlsx", package, "p1", None, done, total)


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set English, since an earlier command of the process may have set another language."""
    monkeypatch.setattr(CONSOLE, "say", Translator("en"))


def lines_after(
    *events: tuple[float, Event], is_terminal: bool = True, width: int = 80
) -> list[str]:
    """The text of the line after each event, each at its second."""
    times = iter([0.0, *(at for at, one in events if one.kind != "deadline")])
    out = io.StringIO()
    lines = ProgressLines(out, lambda: next(times), is_terminal=is_terminal, width=lambda: width)
    for _, one in events:
        lines.show(one)
    return [
        line.rstrip() for line in out.getvalue().replace("\r", "\n").splitlines() if line.strip()
    ]


LINES = {
    "what is not counted has no bar": ([(0.0, event("created", 0, 5))], ["package 1: created"]),
    "rate and time left": (
        [(0.0, event("upload", 0, 500)), (5.0, event("upload", 250, 500))],
        [
            "[--------------------] 0/500  package 1: upload",
            "[##########----------] 250/500, 50.0/s, 5 s left  package 1: upload",
        ],
    ),
    "a warning stays": (
        [(0.0, event("upload", 1, 5)), (0.0, event("deadline", 0, 5))],
        ["[####----------------] 1/5  package 1: upload", "warning: package 1: deadline"],
    ),
    "each package counts anew": (
        [(0.0, event("upload", 5, 5)), (9.0, event("upload", 1, 5, package=2))],
        [
            "[####################] 5/5  package 1: upload",
            "[####----------------] 1/5  package 2: upload",
        ],
    ),
}


@pytest.mark.parametrize(("events", "lines"), LINES.values(), ids=LINES)
def test_a_terminal_shows_a_bar(events: list[tuple[float, Event]], lines: list[str]) -> None:
    assert lines_after(*events) == lines
    assert lines_after(*events, width=20) == [
        line[:19].rstrip() if line[0] == "[" else line for line in lines
    ]


SPOKEN: dict[Language, list[str]] = {
    "en": [
        "warning: package 1 (Upsert): what was uploaded expires at 14:00",
        "package 1 (Upsert): upload: not sent: pause (1,250/2,500, 1,250.0/s, 1 s left)",
    ],
    "fr": [
        "avertissement\u00a0: paquet 1 (Upsert)\u00a0: ce qui a été envoyé expire le 14:00",
        (
            "paquet 1 (Upsert)\u00a0: envoi\u00a0: pas envoyé\u00a0: pause"
            " (1\u202f250/2\u202f500, 1\u202f250,0/s, encore 1 s)"
        ),
    ],
    "es": [
        "aviso: paquete 1 (Upsert): lo enviado caduca el 14:00",
        "paquete 1 (Upsert): envío: no enviado: pause (1.250/2.500, 1.250,0/s, falta 1 s)",
    ],
}


@pytest.mark.parametrize("language", SPOKEN)
def test_progress_is_in_the_language_of_the_command(
    language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CONSOLE, "say", Translator(language))
    monkeypatch.setattr(output, "LINE_INTERVAL", 1.0)
    loss = tr("{loss} at {time}", loss=tr("what was uploaded expires"), time="14:00")
    failed = joined((tr("upload"), tr("not sent"), "pause"), ": ")
    before = event("upload", 0, 2_500)
    texts = [
        tr("package {number} ({what}): {text}", number=1, what="Upsert", text=text)
        for text in (loss, failed)
    ]
    warning, upload = (
        before._replace(kind=kind, text=text, done=1_250)
        for kind, text in zip(("deadline", "upload"), texts, strict=True)
    )
    shown = lines_after((0.0, warning), (0.0, before), (1.0, upload), is_terminal=False)
    assert shown == SPOKEN[language]


def test_elsewhere_a_line_comes_every_ten_seconds() -> None:
    events = [(float(number), event("upload", number, 100)) for number in range(1, 25)]
    warning = (1.0, event("deadline", 0, 5))  # it never waits
    assert lines_after(warning, *events, is_terminal=False) == [
        "warning: package 1: deadline",
        "package 1: upload (10/100, 1.0/s, 1 min 30 s left)",
        "package 1: upload (20/100, 1.0/s, 1 min 20 s left)",
    ]
