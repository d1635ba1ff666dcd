"""Labels of returns: how long they are waited for, and what is no label."""

from datetime import timedelta
from pathlib import Path

import pytest

from feedtool.areas.outbound import wire
from feedtool.areas.outbound.labels import LABELS
from feedtool.feeds.export import DocumentAnswer, DocumentCall, Documents
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NothingToDo
from tests.answers import exported, reply

assert LABELS.documents
DOCUMENTS: Documents = LABELS.documents
WAIT = timedelta(seconds=30)


def label_call(tries: int) -> DocumentCall:
    return DocumentCall(wire.read_label("R", "application/pdf"), ("R",), tries)


def answered(tries: int, status: int, body: bytes, folder: Path) -> DocumentAnswer:
    if status >= 400:
        return DOCUMENTS.lack(label_call(tries), status, "because")
    place = folder / "body"
    place.write_bytes(body)
    return DOCUMENTS.read(label_call(tries), Reply(status, {"content-type": "image/png"}), place)


@pytest.mark.parametrize(("status", "body"), [(200, b""), (204, b""), (404, b"")])
def test_a_missing_label_is_waited_for(status: int, body: bytes, tmp_path: Path) -> None:
    answer = answered(2, status, body, tmp_path)
    assert (answer.again, answer.wait, answer.missing) == ([label_call(1)], WAIT, {})
    last = answered(1, status, body, tmp_path)
    assert (last.again, last.missing) == ((), {"R": "the service has no label of it"})


def test_a_refused_label_is_not_asked_for_again(tmp_path: Path) -> None:
    answer = answered(5, 500, b"", tmp_path)
    assert (answer.again, answer.missing) == ((), {"R": "because"})


def test_a_label_is_called_as_its_return(tmp_path: Path) -> None:
    (file,) = answered(1, 200, b"\x89PNG", tmp_path).files
    assert (file.key, file.name, file.content) == ("R", "R.png", tmp_path / "body")


class Service:
    """A service whose only return was announced some minutes ago, and that has no label."""

    def __init__(self, created_at: str, status: str = "Created") -> None:
        self.created_at, self.status, self.labels = created_at, status, 0

    def send(self, call: Call) -> Reply:
        if call.target.endswith("labels"):
            self.labels += 1
            return Reply(404)
        own = {"returnId": "R", "status": self.status, "type": "Customer"}
        return reply({"items": [{**own, "createdAt": self.created_at}]})


@pytest.mark.parametrize("created_at", ["2026-11-20T07:40:00Z", "2026-11-20T07:45:00Z", "never"])
def test_an_older_label_is_asked_for_once(created_at: str, tmp_path: Path) -> None:
    service = Service(created_at)
    result = exported(LABELS, tmp_path / "labels.csv", service=service)
    assert (service.labels, result.rows) == (1, 1)
    assert [is_loss for *_, is_loss in result.notes] == [True]


def test_a_new_one_is_waited_for(tmp_path: Path) -> None:
    # Nothing sleeps in tests: the first pause shows that it would be.
    with pytest.raises(AssertionError, match="30"):
        exported(LABELS, tmp_path / "labels.csv", service=Service("2026-11-20T07:50:00Z"))


def test_arrived_returns_get_labels_only_on_request(tmp_path: Path) -> None:
    service = Service("2026-11-20T07:40:00Z", "Completed")
    with pytest.raises(NothingToDo):
        exported(LABELS, tmp_path / "labels.csv", service=service)
    assert service.labels == 0
    exported(LABELS, tmp_path / "labels.csv", service=service, status=("Completed",))
    assert service.labels == 1
