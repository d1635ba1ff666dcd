"""Judgements of requests by where they stand, as areas say them."""

from feedtool.feeds.direct import Act, Goal, Judgement
from feedtool.feeds.rule import Problems
from feedtool.model.nouns import Code, Message, Severity, Status
from feedtool.model.text import MessageText, tr

ALREADY_SO = Problems("feedtool.feeds").warning("already-so")


def said(code: Code | None, message: str) -> tuple[Message, ...]:
    """A message of ours; without a code it proves what is so."""
    name, severity = (code.name, code.severity) if code else ("", Severity.WARNING)
    return (Message(name, message, severity=severity),)


def impossible(code: Code, message: str, word: str = "") -> Judgement:
    """The judgement of what cannot be sent any more, or not yet."""
    return Judgement(Goal.IMPOSSIBLE, Status.REJECTED, said(code, message), word)


def reached(act: Act, status: Status, proof: MessageText, word: str) -> Judgement:
    """The judgement of what is as asked; `already-so` where nothing had to be sent for it."""
    if act.baseline is None:
        proven = said(ALREADY_SO, tr("{proof}; nothing was sent", proof=proof))
    else:
        proven = said(None, proof)
    return Judgement(Goal.REACHED, status, proven, word)
