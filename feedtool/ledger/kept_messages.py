"""Messages in the ledger: as the JSON of a column, or in two columns."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from feedtool.model.nouns import Message, Severity
from feedtool.model.text import kept_text, text_of_kept

_USUAL = ("", Severity.ERROR, 0)
"""Field, severity and row of most messages: no field and no single row; they are left out."""

# Most rows have much the same messages, and there are as many as the sheet has rows.


@lru_cache(4096)
def messages_as_text(messages: tuple[Message, ...]) -> str:
    """Encode messages as JSON; `messages_of` decodes them."""
    return json.dumps(
        [(code, kept_text(text), *_unusual(about)) for code, text, *about in messages],
        ensure_ascii=False,
    )


@lru_cache(4096)
def messages_of(kept: str) -> tuple[Message, ...]:
    """Decode the JSON of `messages_as_text`."""
    return tuple(
        Message(code, text_of_kept(text), field, Severity(severity), row)
        for code, text, field, severity, row in map(_whole, json.loads(kept))
    )


def _unusual(about: Sequence[Any]) -> Sequence[Any]:
    """Field, severity and row of a message, up to the last that is not usual."""
    if about[-1] != _USUAL[-1]:
        return about
    return () if tuple(about) == _USUAL else about[:-1]


def _whole(entry: Sequence[Any]) -> tuple[Any, ...]:
    """A stored message with its left-out values; an older one has no row."""
    return (*entry, *_USUAL[len(entry) - 2 :])


def message_of(code: str | None, text: str | None) -> Message | None:
    """A message that is stored in two columns."""
    if code is None and text is None:
        return None
    return Message(code or "", text_of_kept(text or ""))
