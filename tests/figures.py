"""Figures in OpenMetrics text, as the parser of those who collect them reads them."""

from typing import Any

from prometheus_client.openmetrics.parser import text_string_to_metric_families


def families_in(text: str) -> list[Any]:
    """The metrics of a text; ValueError where it is none."""
    return [*text_string_to_metric_families(text)]  # type: ignore[no-untyped-call]  # no types


def figures_in(text: str) -> dict[str, float]:
    """Each number by its name and the value of its label: `feedtool_sellers:all`."""
    samples = (sample for family in families_in(text) for sample in family.samples)
    return {":".join((it.name, *it.labels.values())): it.value for it in samples}
