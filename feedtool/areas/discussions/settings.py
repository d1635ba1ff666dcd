"""Settings of discussions."""

from collections.abc import Mapping

from msgspec import field

from feedtool.model.settings import Settings


class DiscussionSettings(Settings, frozen=True):
    """Settings of discussions."""

    TABLE = "discussions"

    replies: Mapping[str, str] = field(default_factory=dict)
    """Name → the text of a saved reply; the row's values replace `{orderId}`, `{product}`,
    `{parcelNumber}`, `{trackingUrl}` and `{carrierName}`."""
    reply_reads: str = "yes"
    """`yes` if a reply marks the messages read that it answers; `no` leaves it to Mark read."""
    reply_length: int = 1500
    """Characters of a message; longer is a warning, since the specification contradicts itself."""
    attachment_bytes: int = 4_000_000
    """Bytes of all files of a message together."""
    same_replies: int = 20
    """Discussions that may get the same text without a saved reply; 0 switches the guard off."""
    message_receiver: str = "receivers"
    """The member that names who gets a message: `receivers` for a list, `receiver` for one."""
    patch_op: str = "opt"
    """The member with the operation of a patch: `opt`, or `op`."""
    patch_value: str = "string"
    """`string` sends "true" for yes in a patch, `boolean` sends true."""
