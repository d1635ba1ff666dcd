"""Functions by which areas make judgements of requests."""

from feedtool.feeds.direct import Goal, Judgement, RequestAttempt
from feedtool.feeds.rule import Problems
from feedtool.model.nouns import Code, Message, Severity, Status
from feedtool.model.text import MessageText, tr

ALREADY_SO = Problems("feedtool.feeds").warning("already-so")


def own_message(code: Code | None, message: str) -> tuple[Message, ...]:
    """Return a message by feedtool; without a code it is proof of a state."""
    name, severity = (code.name, code.severity) if code else ("", Severity.WARNING)
    return (Message(name, message, severity=severity),)


def impossible(code: Code, message: str, word: str = "") -> Judgement:
    return Judgement(Goal.IMPOSSIBLE, Status.REJECTED, own_message(code, message), word)


def reached(act: RequestAttempt, status: Status, proof: MessageText, word: str) -> Judgement:
    """Return the judgement of a reached goal; `already-so` where nothing had to be sent."""
    if act.baseline is None:
        proven = own_message(ALREADY_SO, tr("{proof}; nothing was sent", proof=proof))
    else:
        proven = own_message(None, proof)
    return Judgement(Goal.REACHED, status, proven, word)
