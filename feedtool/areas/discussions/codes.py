"""The codes of problems with discussions; their pages for users are in `problems.md`."""

from feedtool.feeds.rule import Problems

PROBLEMS = Problems("feedtool.areas.discussions")

ATTACHMENT_FILE = PROBLEMS.error("attachment-file")
ATTACHMENT_SIZE = PROBLEMS.error("attachment-size")
ATTACHMENT_TYPE = PROBLEMS.error("attachment-type")
CHANNEL_WITHOUT_DISCUSSIONS = PROBLEMS.error("channel-without-discussions")
CONTACT_DATA = PROBLEMS.warning("contact-data")
DISCUSSION_CLOSED = PROBLEMS.error("discussion-closed")
DISCUSSION_EXISTS = PROBLEMS.error("discussion-exists")
DISCUSSION_UNKNOWN = PROBLEMS.error("discussion-unknown")
MESSAGE_LENGTH = PROBLEMS.error("message-length")
MESSAGE_LENGTH_ADVISED = PROBLEMS.warning("message-length-advised")
RECEIVER_NOT_ELIGIBLE = PROBLEMS.error("receiver-not-eligible")
REPLY_MISSING = PROBLEMS.error("reply-missing")
REPLY_TWICE = PROBLEMS.error("reply-twice")
SAME_REPLY = PROBLEMS.error("same-reply")
SUBJECT_LENGTH = PROBLEMS.error("subject-length")
SUBTYPOLOGY_UNUSABLE = PROBLEMS.error("subtypology-unusable")
TEMPLATE_VALUE_MISSING = PROBLEMS.error("template-value-missing")
