"""The reasons why a token endpoint gives no token."""

from feedtool.model.text import tr

ERRORS = {
    "invalid_client": tr("it does not know the client id, or this is not its secret"),
    "unauthorized_client": tr("the client has no right to this kind of token"),
    "unsupported_grant_type": tr("it gives no tokens for client credentials"),
    "invalid_scope": tr("the scope is not one that the client may have"),
    "invalid_request": tr("it finds the request incomplete; it may want a scope or an audience"),
    "invalid_grant": tr("it does not accept the credentials"),
    "access_denied": tr("the client has no right to it, perhaps not to this audience"),
}
"""The errors of RFC 6749, 5.2 (and one that many endpoints add), in words."""
