"""The marketplace service as its client sees it.

`wire` (pure: what is asked, what came back), `answers` (pure: what an answer means for the call
that it answers), `packages` (pure: what the bodies and headers of package answers say), `auth`
(tokens) and `client` (httpx; the only module here that does I/O over the network).
"""
