"""Figures in OpenMetrics text, read by Prometheus' parser."""

from typing import Any

from prometheus_client.openmetrics.parser import text_string_to_metric_families


def families_in(text: str) -> list[Any]:
    """The metrics of a text; ValueError if it is not OpenMetrics."""
    return [*text_string_to_metric_families(text)]  # type: ignore[no-untyped-call]  # no types


def figures_in(text: str) -> dict[str, float]:
    """Name and label of each sample, as `feedtool_sellers:all`, with its value."""
    samples = (sample for family in families_in(text) for sample in family.samples)
    return {":".join((sample.name, *sample.labels.values())): sample.value for sample in samples}
