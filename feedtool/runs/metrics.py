"""Figures of all sellers as OpenMetrics text, for Prometheus and others."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from feedtool.ledger.sellers_overview import Figures

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


class Family(NamedTuple):
    """A metric with its samples."""

    name: str
    kind: str
    """`gauge`, or `counter`, which never falls."""
    help: str
    samples: Mapping[str, float]
    """Samples by the value of the label; without a label, the only one has an empty text."""
    label: str = ""
    unit: str = ""

    @property
    def sample(self) -> str:
        return f"{self.name}_total" if self.kind == "counter" else self.name

    def lines(self) -> Iterator[str]:
        yield f"# TYPE {self.name} {self.kind}"
        if self.unit:
            yield f"# UNIT {self.name} {self.unit}"
        yield f"# HELP {self.name} {self.help}"
        for value, number in sorted(self.samples.items()):
            labels = f'{{{self.label}="{_escaped(value)}"}}' if self.label else ""
            yield f"{self.sample}{labels} {number:.15g}"


def write_metrics(figures: Figures, now: datetime) -> str:
    lines = (line for family in families(figures, now) for line in family.lines())
    return "".join(f"{line}\n" for line in (*lines, "# EOF"))


def families(figures: Figures, now: datetime) -> Iterable[Family]:
    """Return all metrics, each with its samples."""
    waited = (now - figures.oldest).total_seconds() if figures.oldest else 0
    sellers = {
        "all": figures.sellers,
        "in_trouble": figures.in_trouble,
        "waiting": figures.sellers_waiting,
    }
    return (
        _gauge("parcels_waiting", "Files that wait to be sent.", figures.waiting),
        _gauge("parcels_on_hold", "Files that somebody has put off.", figures.on_hold),
        Family(
            "feedtool_oldest_wait_seconds",
            "gauge",
            "Seconds since the first of the files that wait has arrived.",
            {"": max(0.0, waited)},
            unit="seconds",
        ),
        Family("feedtool_sellers", "gauge", "Sellers, by how they are.", sellers, "state"),
        _gauge("rows_held", "Rows that guards hold until somebody decides.", figures.held),
        Family(
            "feedtool_passes",
            "counter",
            "Passes over the files of sellers, and commands that have sent some.",
            {"": figures.passes},
        ),
        Family(
            "feedtool_answers",
            "counter",
            "Rows that were answered, or refused by the checks, by status.",
            figures.answers,
            "status",
        ),
        Family(
            "feedtool_processes",
            "gauge",
            "Processes that send now, or wait for work, by command.",
            {"worker": 0, **figures.processes},
            "command",
        ),
    )


def _gauge(name: str, help_: str, number: float) -> Family:
    return Family(f"feedtool_{name}", "gauge", help_, {"": number})


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
